// One binary for the control plane's three components: shared code is linked once,
// which saves about 200 MB. The first argument picks the component.
package main

import (
	"fmt"
	"os"
	_ "time/tzdata" // time zones of CronJobs, as the official mains embed them

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

var components = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
}

func main() {
	if len(os.Args) > 1 {
		if command, known := components[os.Args[1]]; known {
			os.Args = os.Args[1:] // the component reads its own name in os.Args[0]
			os.Exit(cli.Run(command()))
		}
	}
	fmt.Fprintln(os.Stderr, "usage: kubernetes kube-apiserver|kube-controller-manager|kube-scheduler [flags]")
	os.Exit(2)
}

"""GKE as it is simulated: clusters, node pools, and the nodes that they become."""

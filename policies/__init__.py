"""The policy pack: the rules of pathways.rules, asked by Pulumi's engine before it acts."""

{ ingress: {} }

// Package crd holds the CustomResourceDefinitions of the API, as controller-tools writes them.
package crd

import _ "embed"

// MiniClusters is the CustomResourceDefinition of the kind MiniCluster, in YAML.
//
//go:embed bases/flux-framework.org_miniclusters.yaml
var MiniClusters []byte

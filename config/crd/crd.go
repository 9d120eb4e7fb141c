// Package crd embeds the CustomResourceDefinitions of the API.
package crd

import _ "embed"

// MiniClusters is the CustomResourceDefinition of the kind MiniCluster, in YAML.
//
//go:embed bases/flux-framework.org_miniclusters.yaml
var MiniClusters []byte

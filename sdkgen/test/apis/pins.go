//go:build pins

// Package apis makes SDKs of API packages that other projects wrote. This file keeps their modules
// in go.mod; nothing is built from it.
package apis

import (
	_ "github.com/argoproj/argo-rollouts/pkg/apis/rollouts/v1alpha1"
	_ "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	_ "github.com/fluxcd/source-controller/api/v1"
	_ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	_ "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	_ "gopkg.in/evanphx/json-patch.v4" // which the Go SDK's fake imports, as those of kube-openapi
	_ "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	_ "k8s.io/kube-openapi/pkg/validation/validate"
	_ "kubevirt.io/api/core/v1"
	_ "sigs.k8s.io/cluster-api/api/core/v1beta2"
	_ "sigs.k8s.io/gateway-api/apis/v1"
	_ "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	_ "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

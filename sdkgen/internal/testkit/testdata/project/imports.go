// Package project stands for the projects that sdkgen's tests generate from: their go.mod and go.sum are
// copies of this module's, and they import nothing that is not imported here. Loading it once with
// `go list -deps` fetches all that these tests need, so that they can run with GOPROXY=off.
package project

import (
	_ "gopkg.in/evanphx/json-patch.v4"
	_ "k8s.io/api/apps/v1"
	_ "k8s.io/api/autoscaling/v1"
	_ "k8s.io/api/batch/v1"
	_ "k8s.io/api/coordination/v1"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	_ "k8s.io/apimachinery/pkg/api/resource"
	_ "k8s.io/apimachinery/pkg/apis/meta/v1"
	_ "k8s.io/apimachinery/pkg/runtime"
	_ "k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/apimachinery/pkg/util/intstr"
	_ "k8s.io/apimachinery/pkg/util/managedfields"
	_ "k8s.io/client-go/applyconfigurations/meta/v1"
	_ "k8s.io/client-go/discovery"
	_ "k8s.io/client-go/discovery/fake"
	_ "k8s.io/client-go/gentype"
	_ "k8s.io/client-go/kubernetes/scheme"
	_ "k8s.io/client-go/rest"
	_ "k8s.io/client-go/testing"
	_ "k8s.io/client-go/tools/cache"
	_ "k8s.io/client-go/util/flowcontrol"
	_ "k8s.io/kube-openapi/pkg/common"
	_ "k8s.io/kube-openapi/pkg/validation/spec"
	_ "k8s.io/kube-openapi/pkg/validation/validate"
	_ "k8s.io/utils/ptr"
	_ "sigs.k8s.io/controller-runtime/pkg/client"
	_ "sigs.k8s.io/controller-runtime/pkg/scheme"
	_ "sigs.k8s.io/yaml"
)

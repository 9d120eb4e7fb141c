// Copyright The Flux Operator Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"math/rand"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// fill writes objects with random values, the same ones for the same seed. Half of what can be
// left out is, and no list that has to be there is nil, which would be null in JSON.
func fill(object func() any, number int, seed int64, out *json.Encoder) error {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.Unversioned) // a raw extension holds one of these
	codecs := serializer.NewCodecFactory(scheme)
	filler := fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(seed), codecs).NumElements(0, 3)
	for range number {
		filled := object()
		filler.Fill(filled)
		switch filled := filled.(type) {
		case *api.MiniCluster:
			listed(filled)
		case *api.MiniClusterList:
			filled.Items = append([]api.MiniCluster{}, filled.Items...)
			for i := range filled.Items {
				listed(&filled.Items[i])
			}
		}
		if err := out.Encode(filled); err != nil {
			return err
		}
	}
	return nil
}

func listed(mc *api.MiniCluster) {
	mc.Spec.Containers = append([]api.MiniClusterContainer{}, mc.Spec.Containers...)
}

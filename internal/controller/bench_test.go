package controller

import (
	"context"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// BenchmarkSteadyPass measures a reconciliation that finds nothing to do. Reads cost what they cost
// with an informer's cache: a copy of the object.
func BenchmarkSteadyPass(b *testing.B) {
	for name, spec := range map[string]string{"fixed": fixed, "plain": plain, "crowded": crowded} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, sample(b, "mc", spec))
			w.reconcile("mc")
			w.Client = interceptor.NewClient(w.store, snapshot())
			request := ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "lab", Name: "mc"}}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.Reconcile(b.Context(), request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// snapshot answers each read as it was answered first, with a copy.
func snapshot() interceptor.Funcs {
	type answer struct {
		object client.Object
		err    error
	}
	answers := map[string]answer{}
	return interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object,
			opts ...client.GetOption) error {
			id := kindOf(o) + " " + key.String()
			a, ok := answers[id]
			if !ok {
				a = answer{object: o, err: c.Get(ctx, key, o, opts...)}
				a.object = a.object.DeepCopyObject().(client.Object)
				answers[id] = a
			}
			if a.err == nil {
				reflect.ValueOf(o).Elem().Set(reflect.ValueOf(a.object.DeepCopyObject()).Elem())
			}
			return a.err
		},
	}
}

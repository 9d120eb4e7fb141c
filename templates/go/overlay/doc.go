// Package fluxoperator is a light Go client of flux-framework.org/v1alpha1, for programs that talk to
// the Flux Operator without its source.
//
// # Types
//
// [MiniCluster] and what is in it are plain structs on Kubernetes' own metadata and value types. They
// encode to the JSON of the API's Go types. A field is a pointer only where unset differs from zero:
// an optional struct, or a value whose default is not zero.
//
// The New functions take what is required and set the defaults that the API server would fill in, and
// the kind where there is one; the NewWithDefaults functions set the defaults alone. A composite
// literal sets nothing, which suits [MiniClusterClient.Apply]: what is not set stays another's.
//
// # JSON
//
// Members of a JSON object that have no field, as a newer server may send them, are kept in the
// struct's UnknownFields and written again: reading, changing and writing an object loses nothing of
// it. Within types of Kubernetes itself, such as metav1.ObjectMeta, they are lost as ever. Names are
// told apart by case, as the API server does and encoding/json does not. MarshalJSON and UnmarshalJSON
// are faster when called as methods than by way of encoding/json, which reads all once more.
//
// # Requests
//
// [NewClient] takes an http.Client; package restconfig takes a *rest.Config of client-go. The methods
// of [MiniClusterClient] have the names and options of client-go's. Errors of the server are those of
// k8s.io/apimachinery/pkg/api/errors.
package fluxoperator

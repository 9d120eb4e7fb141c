// This program uses the packages that TestPrograms links, and prints what it asks of an API server.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	batchv1 "golden/sdk/batch/v1"
	batchv1beta1 "golden/sdk/batch/v1beta1"
	crewv1 "golden/sdk/crew/v1"
)

// answer echoes what is sent, has a page of one object, and has nothing else.
func answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	fmt.Println(strings.TrimSpace(r.Method + " " + r.URL.String() + " " + string(body)))
	switch {
	case r.URL.Query().Get("watch") != "":
		io.WriteString(w, `{"type":"ADDED","object":{"metadata":{"name":"seen","resourceVersion":"2"}}}`)
	case strings.HasSuffix(r.URL.Path, "s"):
		if r.Method == http.MethodGet {
			body = []byte(`{"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"listed"}}]}`)
		}
		w.Write(body)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func main() {
	server := httptest.NewServer(http.HandlerFunc(answer))
	defer server.Close()
	client, err := batchv1.NewClient(server.Client(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	useBatch(ctx, client)
	useBeta(ctx, (*batchv1beta1.Client)(client))
	useCrew(ctx, (*crewv1.Client)(client))
	if _, err := crewv1.NewClient(nil, "no address"); err == nil {
		log.Fatal("the address is taken")
	}
}

func useBatch(ctx context.Context, client *batchv1.Client) {
	gadget := batchv1.NewGadget()
	gadget.Name = "made"
	if _, err := client.Gadgets("ns").Create(ctx, gadget, metav1.CreateOptions{}); err != nil {
		log.Fatal(err)
	}
	_, err := client.Gadgets("ns").Get(ctx, "none", metav1.GetOptions{})
	fmt.Println(apierrors.IsNotFound(err))
	_, err = client.Gadgets("ns").WaitFor(ctx, "none", metav1.Condition{Type: "Ready"})
	var failed *batchv1.WaitError
	fmt.Println(errors.As(err, &failed), apierrors.IsNotFound(err))
}

func useBeta(ctx context.Context, client *batchv1beta1.Client) {
	for gadget, err := range client.Gadgets("ns").All(ctx, metav1.ListOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(gadget.Name)
	}
	var seen batchv1beta1.Event[batchv1beta1.Gadget]
	seconds := int64(9)
	for event, err := range client.Gadgets("ns").Watch(ctx, metav1.ListOptions{ResourceVersion: "1", TimeoutSeconds: &seconds}) {
		if err != nil {
			log.Fatal(err)
		}
		seen = event
		break
	}
	fmt.Println(seen.Type, seen.Object.Name)
}

func useCrew(ctx context.Context, client *crewv1.Client) {
	policy := &crewv1.WorldPolicy{}
	policy.Name = "all"
	if _, err := client.WorldPolicies().Apply(ctx, policy, metav1.ApplyOptions{FieldManager: "me"}); err == nil {
		log.Fatal("there is a policy")
	}
	var unix *crewv1.LinuxClient = client.Unix("ns")
	if err := unix.Delete(ctx, "", metav1.DeleteOptions{}); err == nil {
		log.Fatal("the name is taken")
	}
}

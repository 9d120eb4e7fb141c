// Objects of two groups, and of two versions of one kind, by one HTTP client.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	crops "example.org/dairy/sdk/go/dairy/crops/v1"
	older "example.org/dairy/sdk/go/dairy/crops/v1beta1"
	sea "example.org/dairy/sdk/go/dairy/sea/v1"
)

// main reads what use.py wrote, through the proxy whose address is the argument.
func main() {
	if err := run(context.Background(), http.DefaultClient, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, httpClient *http.Client, host string) error {
	fields, err := crops.NewClient(httpClient, host)
	if err != nil {
		return err
	}
	field, err := fields.Fields("default").Get(ctx, "north", metav1.GetOptions{})
	if err != nil {
		return err
	}
	olders, err := older.NewClient(httpClient, host)
	if err != nil {
		return err
	}
	same, err := olders.Fields("default").Get(ctx, "north", metav1.GetOptions{})
	if err != nil {
		return err
	}
	trawlers, err := sea.NewClient(httpClient, host)
	if err != nil {
		return err
	}
	trawler, err := trawlers.Trawlers("default").Create(ctx, &sea.Trawler{ObjectMeta: metav1.ObjectMeta{Name: "east"}, Spec: sea.NewTrawlerSpecWithDefaults()}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	fmt.Println(field.APIVersion, *field.Spec.Size, *field.Spec.Owner, same.APIVersion, *same.Spec.Size, same.UID == field.UID, *trawler.Spec.Size)
	return trawlers.Trawlers("default").Delete(ctx, trawler.Name, metav1.DeleteOptions{})
}

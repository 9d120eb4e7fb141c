package scaffold

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Require writes what the API packages of other modules import to go.mod and go.sum of the module in a directory, as
// `go get` does after the package itself: `go get MODULE` alone leaves out what only its packages need. It changes no
// version. Without packages it does nothing.
func Require(ctx context.Context, dir string, packages []string) error {
	if len(packages) == 0 {
		return nil
	}
	list := exec.CommandContext(ctx, "go", slices.Concat([]string{"list", "-mod=mod", "-deps", "--"}, packages)...)
	list.Dir = dir
	var stderr bytes.Buffer
	list.Stderr = &stderr
	if err := list.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", list, err, strings.TrimSpace(stderr.String()))
	}
	return nil
}

// Unresolved says that Require failed: the author has to complete go.mod and go.sum.
func (r *Result) Unresolved(err error) {
	message, _, _ := strings.Cut(err.Error(), "\n")
	r.Notes = append(r.Notes, diag.Diagnostic{
		Rule: rule, Severity: diag.Warning, Message: "go.mod and go.sum may lack what the packages import: " + message,
		Hint: "run `go mod tidy`",
	})
	r.Next = slices.Insert(r.Next, 0, "go mod tidy")
}

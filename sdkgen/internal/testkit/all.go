package testkit

import (
	"os"
	"testing"
)

// All reports whether the tests run that hold the product against the world, or do in the hundreds what others do
// once: `make test-all` sets SDKGEN_TEST_ALL to 1, `make test` does not.
func All() bool { return os.Getenv("SDKGEN_TEST_ALL") == "1" }

// NeedAll skips a test of `make test-all` in other runs.
func NeedAll(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("only `make test-all` runs this: SDKGEN_TEST_ALL is not 1")
	}
}

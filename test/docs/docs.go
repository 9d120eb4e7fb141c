// Package docs opens the reference pages that sdkgen makes in a browser. It has tests only, which `make test-all
// ONLY=docs` runs.
package docs

# `make api` makes everything, `make test` checks everything; both need only Go and Python 3.
# ARGS is handed on, as in `make api ARGS=--no-cache`.

API_VERSION ?= v1alpha1
GO ?= go
PYTHON ?= python3
N ?= 5
ARGS ?=

SDKGEN := .tools/bin/sdkgen
# Whoever changes this version runs `make lint` once with it.
GOLANGCI := v2.15.0

.DEFAULT_GOAL := help
.PHONY: api generate swagger sdk-python sdk-go verify rules test test-python bench lint docs tools clean help

api: tools ## Make every artifact from the types in api/
	@test -d api/$(API_VERSION) || { echo "there is no folder api/$(API_VERSION)" >&2; exit 2; }
	@$(SDKGEN) generate $(ARGS)

generate: tools ## Only the Go code beside the types, and the CRD
	@$(SDKGEN) generate --only deepcopy,crd,openapi $(ARGS)

swagger: tools ## Only swagger.json
	@$(SDKGEN) generate --only swagger $(ARGS)

sdk-python: tools ## Only the Python SDK
	@$(SDKGEN) generate --only python $(ARGS)

sdk-go: tools ## Only the Go clients
	@$(SDKGEN) generate --only go,clients $(ARGS)

verify: tools ## Compare the repository with what `make api` would write
	@$(SDKGEN) verify $(ARGS)

rules: tools ## Check the types against the API rules; ARGS=--update accepts them
	@$(SDKGEN) rules $(ARGS)

test: tools ## Run all tests: Go, then Python
	$(GO) test -timeout 20m ./...
	cd test/apis && $(GO) test -timeout 10m -v ./...
	$(PYTHON) test/python/matrix.py --workdir .tools/python

test-python: ## Run the Python tests only, on every Python and kubernetes client
	$(PYTHON) test/python/matrix.py --workdir .tools/python $(ARGS)

bench: tools ## Measure `sdkgen generate` against the classic recipe, N rounds
	@$(GO) run ./test/bench -n $(N) $(ARGS)

lint: ## Check format, vet and golangci-lint $(GOLANGCI)
	@unformatted=$$(git ls-files -co --exclude-standard -- '*.go' ':!:*/testdata/*' | xargs "$$($(GO) env GOROOT)/bin/gofmt" -l); \
		test -z "$$unformatted" || { echo "not formatted (gofmt -w):" >&2; echo "$$unformatted" >&2; exit 1; }
	$(GO) vet ./...
	@command -v golangci-lint >/dev/null || { echo "golangci-lint is not installed: go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI)" >&2; exit 2; }
	golangci-lint run $(ARGS)

docs: ## Check the documents: links and make targets
	@$(PYTHON) docs/check.py

tools: ## Fetch the pinned tools into .tools/ and build sdkgen there
	@$(PYTHON) hack/tools.py
	@$(GO) build -buildvcs=false -o $(SDKGEN).new ./cmd/sdkgen
	@# An unchanged program keeps its time: sdkgen tells by it that stages may be skipped.
	@if cmp -s $(SDKGEN).new $(SDKGEN); then rm $(SDKGEN).new; else mv $(SDKGEN).new $(SDKGEN); fi

clean: ## Remove .tools/ and bin/; the next run fetches the tools again
	rm -rf .tools bin

help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { gsub(/\$$\(GOLANGCI\)/, "$(GOLANGCI)"); printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# `make api` generates every artifact, `make test` checks a change; both need only Go and Python 3.
# ARGS is passed on, as in `make api ARGS=--force`. ONLY selects parts, as in `make test ONLY=python`.

API_VERSION ?= v1alpha1
AGAINST ?= origin/main
GO ?= go
PYTHON ?= python3
N ?= 5
PREVIOUS ?=
ARGS ?=
ONLY ?=
# A developer's go.work changes nothing here.
export GOWORK ?= off
# No C compiler is needed, and what one target builds another finds in Go's cache.
export CGO_ENABLED ?= 0
# Tests against the world, such as other operators' repositories, are skipped without this.
export SDKGEN_TEST_ALL ?= $(if $(filter test-all,$(MAKECMDGOALS)),1)
# Tests find what is built into bin/ by its name.
export PATH := $(CURDIR)/bin:$(PATH)

# renovate: github.com/golangci/golangci-lint/v2
GOLANGCI := v2.15.0
# renovate: honnef.co/go/tools
STATICCHECK := v0.7.0
# renovate: helm.sh/helm/v4
HELM := v4.3.1
# renovate: golang.org/x/vuln
GOVULNCHECK := v1.9.0
# renovate: github.com/google/go-containerregistry
CRANE := v0.22.1
# renovate: github.com/sigstore/cosign/v3
COSIGN := v3.1.3
# renovate: github.com/zegl/kube-score
KUBE_SCORE := v1.20.0

# The Go modules that `make test` tests; `make test-e2e` tests those below test/cluster.
MODULES := . api sdk/go sdkgen sdkgen/test/apis hack/swagger hack/release examples/go
# $(call each,COMMAND) runs a command in each of them; $(call each,COMMAND,MODULES) in others.
each = @for module in $(or $(2),$(MODULES)); do echo "$$module: $(1)"; (cd $$module && $(1)) || exit; done
LINTED := $(MODULES) test/cluster/kubestack
# The operators in examples/ are projects with Makefiles; $(call operators,TARGET) makes a target of each.
OPERATORS := $(patsubst %/Makefile,%,$(wildcard examples/operators/*/Makefile))
operators = @for operator in $(OPERATORS); do echo "$$operator: $(1)"; $(MAKE) -C $$operator $(1) || exit; done

SDKGEN := .tools/bin/sdkgen
# This file exists while sdkgen is not the program that `make api` ran last.
REBUILT := .tools/rebuilt
GENERATE = $(SDKGEN) generate $$(test ! -e $(REBUILT) || echo --force)
CRD := config/crd/bases/flux-framework.org_miniclusters.yaml
# The Go toolchain of a release is the same everywhere: that of hack/release/go.mod.
RELEASE_ENV = GOTOOLCHAIN=$$(sed -n 's/^toolchain //p' "$(CURDIR)/hack/release/go.mod")
RELEASE = $(RELEASE_ENV) .tools/bin/release
RELEASE_TEST = cd hack/release && $(RELEASE_ENV) $(GO) test -count=1 -timeout 60m -v
INSTALL = GOBIN="$(abspath $(@D))" $(GO) install -trimpath

.DEFAULT_GOAL := help
.PHONY: $(shell sed -nE 's/^(\.?[a-z][a-z0-9.\/-]*):.*/\1/p' Makefile)

api: tools ## Generate every artifact from the types in api/
	@test -d api/$(API_VERSION) || { echo "there is no directory api/$(API_VERSION)" >&2; exit 2; }
	@$(GENERATE) $(ARGS) && rm -f $(REBUILT)

generate: tools ## Generate only the Go code beside the types, and the CRD
	@$(GENERATE) --only deepcopy,crd,openapi $(ARGS)

manifests: ## Generate the operator's RBAC role from the markers in internal/controller
	@$(GO) tool -modfile=sdkgen/go.mod controller-gen rbac:roleName=manager-role paths=./internal/controller \
		output:rbac:dir=config/rbac

swagger: tools ## Generate only swagger.json
	@$(GENERATE) --only swagger $(ARGS)

sdk-python: tools ## Generate only the Python SDK
	@$(GENERATE) --only python $(ARGS)

sdk-go: tools ## Generate only the Go clients
	@$(GENERATE) --only go,clients $(ARGS)

verify: tools ## Compare the repository with what `make api` would write
	@$(SDKGEN) verify $(ARGS)

# A target `TARGET: ...` of these runs the parts that ONLY names, of which `make help` has a list.
ALL := go operators matrix install site docs editors
E2E := flux breaking operators upgrade cluster

test: $(patsubst %,.test-%,$(or $(ONLY),go operators python)) ## Test a change, before a commit

test-all: $(or $(ONLY:%=.test-%),$(ALL:%=.test-%) $(E2E:%=.e2e-%)) ## Test everything

test-e2e: $(patsubst %,.e2e-%,$(or $(ONLY),$(E2E))) ## Test on control planes, each part with its own
.test-go: tools .ruff bin/helm # all Go tests; SDKGEN_TEST_ALL=1 adds those of test-all
	$(call each,$(GO) test -timeout 20m ./...)
.test-operators: tools # the operators in examples/
	$(call operators,test)
.test-python: tools # the Python SDK on the oldest and the newest Python and kubernetes
	$(PYTHON) test/python/matrix.py --workdir .tools/python --edges $(ARGS)
.test-matrix: tools # the Python SDK on every pair of a Python and a kubernetes
	$(PYTHON) test/python/matrix.py --workdir .tools/python $(ARGS)
.test-chart: bin/helm # the chart and config/; ARGS=-update rewrites the golden files and the table of values
	$(GO) test -count=1 ./test/chart $(ARGS)
.test-install: bin/helm # the wheel of this platform, the pre-commit hook, the GitHub Action, the workflows
	$(PYTHON) test/install/run.py $(ARGS)
.test-wheels: bin/helm # the same with the wheels of all platforms, which are cross-built
	$(PYTHON) test/install/run.py --all
.test-site: site # the pages and links of the site, and that no request leaves it
	$(PYTHON) test/site/run.py
.test-docs: # the reference pages in Chromium; ARGS="-bench Search -run NONE" measures the search
	GO=$(GO) hack/docs-browser.sh $(ARGS)
.test-editors: # the JSON Schema in kubeconform and yaml-language-server; needs npm
	cd sdkgen && $(GO) test -count=1 -timeout 10m -v ./test/editors -slow $(ARGS)
.test-repos: # other operators' repositories, also the large ones; ARGS=-update writes docs/use/repositories.md
	cd sdkgen && $(GO) test -count=1 -timeout 40m -v ./test/repos -slow $(ARGS)
.test-pairs: # published versions of other APIs, also the large ones; ARGS=-update writes docs/use/breaking.md
	cd sdkgen && $(GO) test -count=1 -timeout 20m -v ./test/pairs -slow $(ARGS)
.test-release: bin/helm # a release built twice, in two places with other times and settings, byte by byte
	$(RELEASE_TEST) -run TestRepeatable . -slow $(ARGS)
.test-images: # the images built twice, read and run; needs root, or sudo without a password
	$(RELEASE_TEST) ./images ./sbom -slow $(ARGS)
.test-fresh: # `make api` and `make test` in a clone of HEAD, with empty caches and without Java
	@hack/fresh.sh
.e2e-flux: bin/cluster bin/helm # the operator, its helper and the Python SDK, on simulated nodes
	E2E=1 $< run --crd $(CRD) -- $(GO) test -short -count=1 -timeout 40m -v ./test/e2e $(ARGS)
.e2e-breaking: bin/cluster # what sdkgen says of the API server, with a real one
	E2E=1 CI=true $< run -- $(GO) -C sdkgen test -count=1 -p 1 -timeout 25m -run TestServer -v \
		./internal/breaking/prove ./internal/stage/schemas ./test/explain
.e2e-operators: tools bin/cluster bin/helm # the operators in examples/
	$(call operators,test-e2e)
.e2e-upgrade: bin/cluster bin/helm # the operator, from PREVIOUS (a git ref; default: the last release)
	E2E=1 $< run -- $(GO) test -count=1 -timeout 20m -v -run TestUpgrade ./test/e2e \
		-upgrade -previous "$(PREVIOUS)" $(ARGS)
.e2e-cluster: bin/cluster # the control plane itself: crashes, kills, restarts
	@$< build >/dev/null
	E2E=1 $(GO) test -count=1 -timeout 20m ./test/cluster/...
	cd test/cluster/kubestack && $(GO) test -trimpath ./internal/node
.e2e-faults: bin/cluster # the operator under failures and load; writes the tables of docs/operate/reliability.md
	E2E=1 $< run --crd $(CRD) -- $(GO) test -count=1 -timeout 40m -v -run 'Fault|Load' ./test/e2e \
		-report "$(CURDIR)/docs/operate/reliability.md"

test-realflux: bin/cluster ## Test on real Flux, in the images of FLUX_LAYERS; writes docs/operate/real-flux.md
	GO="$(GO)" hack/realflux.sh $< run --crd $(CRD) -- $(ARGS)

bench: $(patsubst %,.bench-%,$(or $(ONLY),sdkgen)) ## Measure, N rounds, and write the tables of docs/
.bench-sdkgen: tools # sdkgen and the classic recipe; writes docs/use/performance.md
	@$(GO) run -C sdkgen ./test/bench -C .. -n $(N) -report docs/use/performance.md $(ARGS)
.bench-python: tools # the Python SDK and its alternatives; writes docs/use/python-performance.md
	@PYTHONPATH=test/python $(PYTHON) -m bench -n $(N) --workdir .tools/python-bench \
		--report docs/use/python-performance.md $(ARGS)
.bench-clients: # size and speed of the Go clients; writes docs/use/go-clients.md
	@$(GO) run ./test/clientcost -report docs/use/go-clients.md $(ARGS)
.bench-json: # the light Go client's JSON and encoding/json
	@$(GO) test -run '^$$' -bench JSON $(ARGS) ./test/lightclient

lint: $(patsubst %,.lint-%,$(or $(ONLY),go docs workflows)) ## Check the form of code, documents and workflows
.lint-go: .tools/bin/golangci-lint # gofmt, go vet, staticcheck and golangci-lint
	@! git ls-files -co --exclude-standard -- '*.go' ':!:*/testdata/*' | xargs "$$($(GO) env GOROOT)/bin/gofmt" -l | \
		sed 's/$$/: not formatted (gofmt -w)/' | grep . >&2
	$(call each,$(GO) vet ./...,$(LINTED))
	cd sdk/go && $(GO) run honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK) ./...
	cd sdkgen && $(GO) run honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK) ./runtime/...
	$(call each,"$(CURDIR)/$<" run $(ARGS),$(LINTED))
.lint-docs: # links, make targets and commands in the documents
	@$(PYTHON) docs/check.py
.lint-workflows: # the workflows and the Action, with actionlint and zizmor
	$(PYTHON) test/install/run.py test_workflows
.lint-chart: bin/helm # the chart and config/, with kube-score; hack/kube-score.conf has the exceptions
	@GO=$(GO) KUBE_SCORE=$(KUBE_SCORE) hack/scan.sh
.lint-vulnerabilities: # known vulnerabilities of Go modules and Python packages; needs the network
	@GO=$(GO) PYTHON=$(PYTHON) GOVULNCHECK=$(GOVULNCHECK) hack/vulnerabilities.sh $(ARGS)

release: bin/helm .tools/bin/release ## Build the release VERSION into dist/; ARGS=--write prepares it
	@.tools/bin/release "$(VERSION)" --helm bin/helm $(if $(filter file,$(origin AGAINST)),,--against $(AGAINST)) $(ARGS)

images: .tools/bin/release ## Build the container images into dist/; ARGS="--only flux-operator --arch amd64"
	@$(RELEASE) images $(or $(VERSION),$$(sed -n 's/^version: *//p' sdkgen.yaml)) $(ARGS)

site: tools ## Build the documentation with the API's reference into site/
	@$(PYTHON) hack/environment.py .tools/site --require-hashes -r hack/site/requirements.txt
	@$(SDKGEN) docs -q -o .tools/reference --as markdown
	@NO_MKDOCS_2_WARNING=1 .tools/site/bin/mkdocs build -q --strict -f hack/site/mkdocs.yml $(ARGS)

cluster: bin/cluster ## Start a control plane for tests and leave it running; `bin/cluster down` stops it
	@$< up --crd $(CRD)

tools: .built ## Build sdkgen into .tools/ and fetch the pinned tools there
	@$(SDKGEN) tools --tools .tools --python $(PYTHON)

clean: ## Remove .tools/, bin/, dist/ and site/; the next run fetches the tools again
	rm -rf .tools bin dist site

help: ## List the targets, and the parts that ONLY names
	@awk 'BEGIN { FS = ":.*## " } /^[a-z0-9-]+:.*## / { printf "  %-24s %s\n", $$1, $$2 }' Makefile
	@awk 'BEGIN { FS = ":[^#]*# "; print "\nParts:" } /^\.(test|e2e|bench|lint)-[a-z]+:.*# / { \
		split($$1, part, "-"); target = part[1] == ".e2e" ? "test-e2e" : substr(part[1], 2); \
		if (target == "test" && part[2] !~ /^(go|operators|python)$$/) target = "test-all"; \
		printf "  %-24s %s\n", target " ONLY=" part[2], $$2 }' Makefile

# The lock does not tell one development build from another, so a new program runs every stage once.
.built:
	@mkdir -p $(dir $(SDKGEN)); old=$$(cksum $(SDKGEN) 2>&1); \
		$(GO) build -C sdkgen -buildvcs=false -ldflags '-s -w' -o "$(abspath $(SDKGEN))" . && \
		{ test "$$old" = "$$(cksum $(SDKGEN))" || touch $(REBUILT); }

# ruff checks the style of generated Python.
.ruff:
	@$(PYTHON) hack/environment.py .tools/ruff -r sdkgen/runtime/python/tests/requirements.txt
.tools/bin/release:
	@$(RELEASE_ENV) $(GO) build -C hack/release -trimpath -buildvcs=false -o "$(CURDIR)/$@" .
bin/cluster:
	@$(GO) build -buildvcs=false -o $@ ./test/cluster
bin/helm:
	@$(INSTALL) helm.sh/helm/v4/cmd/helm@$(HELM)

.tools/bin/golangci-lint:
	@$(INSTALL) github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI)
.tools/bin/crane:
	@$(INSTALL) github.com/google/go-containerregistry/cmd/crane@$(CRANE)
.tools/bin/cosign:
	@$(INSTALL) github.com/sigstore/cosign/v3/cmd/cosign@$(COSIGN)

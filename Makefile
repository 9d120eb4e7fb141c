# `make api` makes everything, `make test` checks everything; both need only Go and Python 3.
# ARGS is handed on, as in `make api ARGS=--force`.

API_VERSION ?= v1alpha1
AGAINST ?= origin/main
GO ?= go
PYTHON ?= python3
N ?= 5
PREVIOUS ?=
ARGS ?=
# A go.work of yours changes nothing here.
export GOWORK ?= off
# No C compiler is needed, and what one target builds another finds in Go's cache.
export CGO_ENABLED ?= 0
# Tests find what is built into bin/ by its name.
export PATH := $(CURDIR)/bin:$(PATH)
# So what lies there without being built from this file would be run in place of go or git, unseen: git ignores it.
BUILT := cluster fluxoperator-gen helm manager
UNKNOWN := $(filter-out $(BUILT) %.new,$(notdir $(wildcard bin/*)))
TRACKED := $(shell git ls-files -- bin ':(glob)**/.tools/**' 2>/dev/null)
ifneq ($(UNKNOWN),)
$(error not built by this Makefile: $(UNKNOWN:%=bin/%): remove it)
endif
ifneq ($(TRACKED),)
$(error committed, but made by make: $(TRACKED): git rm it)
endif
# Python's bytecode is written when packages are installed; hack/environment.py finds a file that came later.
export PYTHONDONTWRITEBYTECODE ?= 1

# The Go modules that `make test` tests. hack/release builds hack/release/kubectl; test/chart, test/cluster and sdkgen/test/docs have targets of their own, examples/operators have Makefiles.
MODULES := . api sdk/go sdkgen sdkgen/test/apis sdkgen/test/project hack/swagger hack/release examples/go
# $(call each,COMMAND) runs a command in each of them; $(call each,COMMAND,MODULES) in others.
each = @for module in $(or $(2),$(MODULES)); do echo "$$module: $(1)"; (cd $$module && $(1)) || exit; done
# Those that have packages.
LINTED = $(filter-out sdkgen/test/pairs/crdify test/cluster/containerd,$(patsubst %/,%,$(dir $(shell git ls-files '*go.mod'))))

# The operators in examples/, each a project of its own; $(call operators,TARGET) makes a target of each.
OPERATORS := $(patsubst %/Makefile,%,$(wildcard examples/operators/*/Makefile))
operators = @for operator in $(OPERATORS); do echo "$$operator: $(1)"; $(MAKE) -C $$operator $(1) || exit; done

SDKGEN := .tools/bin/sdkgen
# $(call program,PACKAGE,FILE,FLAGS,GO) builds a program. `go build` takes a file with the right build ID for what it
# would build, whatever else has been changed in it; `go run` takes the program from Go's build cache.
program = $(or $(4),$(GO)) run $(3) -exec 'install -m 755' $(1) "$(2).$$$$.new" && mv -f "$(2).$$$$.new" "$(2)"
# A file that is there when sdkgen is not the program that `make api` ran last.
REBUILT := .tools/rebuilt
GENERATE = $(SDKGEN) generate $$(test ! -e $(REBUILT) || echo --force)
CRD := config/crd/bases/flux-framework.org_miniclusters.yaml
# Whoever changes this version runs `make lint` once with it.
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
# The images of examples/, for which that of Flux stands in test-realflux.
EXAMPLE_IMAGES = $(shell sed -n 's/.*image[:=] *"\?\([a-z.]*\/[a-zA-Z0-9./:_-]*\).*/\1/p' examples/minicluster/*.yaml examples/python/*.py | sort -u)
# renovate: github.com/zegl/kube-score
KUBE_SCORE := v1.20.0

.DEFAULT_GOAL := help
.PHONY: api generate manifests swagger sdk-python sdk-go verify breaking site rules test test-fresh test-chart test-upgrade test-python test-install test-repos test-pairs test-editors test-docs test-wheels wheels build cluster test-e2e test-e2e-flux test-e2e-breaking test-e2e-operators test-cluster test-realflux test-faults bench bench-go bench-python lint scan docs tools clean help bin/cluster bin/helm bench-go-clients .built ruff

api: tools ## Make every artifact from the types in api/
	@test -d api/$(API_VERSION) || { echo "there is no directory api/$(API_VERSION)" >&2; exit 2; }
	@$(GENERATE) $(ARGS) && rm -f $(REBUILT)

generate: tools ## Make only the Go code beside the types, and the CRD
	@$(GENERATE) --only deepcopy,crd,openapi $(ARGS)

manifests: ## Make the operator's RBAC role from the markers in internal/controller
	@$(GO) tool -modfile=sdkgen/go.mod controller-gen rbac:roleName=manager-role paths=./internal/controller output:rbac:dir=config/rbac

swagger: tools ## Make only swagger.json
	@$(GENERATE) --only swagger $(ARGS)

sdk-python: tools ## Make only the Python SDK
	@$(GENERATE) --only python $(ARGS)

sdk-go: tools ## Make only the Go clients
	@$(GENERATE) --only go,clients $(ARGS)

verify: tools ## Compare the repository with what `make api` would write
	@$(SDKGEN) verify $(ARGS)

breaking: tools ## Say what changed in the API since AGAINST (a git ref, a directory, MODULE@VERSION), and for whom
	@$(SDKGEN) breaking --against $(AGAINST) $(ARGS)

site: tools ## Build the documentation, with the reference pages of the API, into site/; open site/index.html
	@$(PYTHON) hack/environment.py .tools/site --require-hashes -r hack/site/requirements.txt
	@$(SDKGEN) docs -q -o .tools/reference --as markdown
	@NO_MKDOCS_2_WARNING=1 .tools/site/bin/mkdocs build -q --strict -f hack/site/mkdocs.yml $(ARGS)

.PHONY: test-site
test-site: site ## Test the site: its pages, its links, and that no request leaves it
	$(PYTHON) test/site/run.py

rules: tools ## Check the types against the API rules; ARGS=--update accepts them
	@$(SDKGEN) rules $(ARGS)

test: tools ruff test-chart ## Run all tests: Go, then Python
	$(call each,$(GO) test -timeout 20m ./...)
	$(call operators,test)
	$(PYTHON) test/python/matrix.py --workdir .tools/python --edges
	$(PYTHON) test/install/run.py

test-chart: bin/helm ## Test what the chart and config/ install; ARGS=-update rewrites test/chart/testdata and the chart's table of values
	cd test/chart && $(GO) vet ./... && $(GO) test -count=1 ./... $(ARGS)

test-fresh: ## Run `make api` and `make test` in a clone of HEAD, as on a machine that has nothing
	@hack/fresh.sh

test-python: tools ## Run the Python tests only, on every pair of a Python and a kubernetes client; `make test` leaves some pairs out
	$(PYTHON) test/python/matrix.py --workdir .tools/python $(ARGS)

test-install: ## Test the wheel of this platform, the pre-commit hook and the GitHub Action
	$(PYTHON) test/install/run.py $(ARGS)

test-repos: ## Test sdkgen on other operators' repositories, also the large ones; ARGS=-update writes docs/repositories.md
	cd sdkgen && $(GO) test -count=1 -timeout 40m -v ./test/repos -slow $(ARGS)

test-pairs: ## Compare published versions of other APIs, also the large ones; ARGS=-update writes docs/breaking.md
	cd sdkgen && $(GO) test -count=1 -timeout 20m -v ./test/pairs -slow $(ARGS)

test-docs: ## Open the reference pages in Chromium: console, search, keyboard, accessibility; and run the samples; ARGS="-bench Search -run NONE" measures the search
	GO=$(GO) hack/docs-browser.sh $(ARGS)

test-editors: ## Have kubeconform and yaml-language-server read the JSON Schema of MiniCluster; needs npm
	cd sdkgen && $(GO) test -count=1 -timeout 10m -v ./test/editors -slow $(ARGS)

test-wheels: ## The same with the wheels of all platforms, which are cross-built
	$(PYTHON) test/install/run.py --all

wheels: ## Build the wheels of sdkgen for all platforms into dist/; ARGS="--version X --platform linux/amd64"
	$(PYTHON) hack/wheels.py --go $(GO) $(ARGS)

release: bin/helm .release ## Build the release VERSION into dist/ from a copy; ARGS=--write prepares the release commit, --check builds nothing
	@.tools/bin/release "$(VERSION)" --helm bin/helm $(if $(filter file,$(origin AGAINST)),,--against $(AGAINST)) $(ARGS)

test-release: bin/helm ## Build a release twice, in two places with other times and settings, and compare the bytes
	cd hack/release && $(RELEASE_GO) test -count=1 -timeout 60m -v -run TestRepeatable . -slow $(ARGS)

images: .release ## Build the container images without a container engine into dist/; ARGS="--only flux-operator --arch amd64"
	@$(RELEASE_ENV) .tools/bin/release images $(or $(VERSION),$$(sed -n 's/^version: *//p' sdkgen.yaml)) $(ARGS)

test-images: ## Build the images twice, look into them and run them; needs root, or sudo without a password
	cd hack/release && $(RELEASE_GO) test -count=1 -timeout 60m -v ./images ./sbom -slow $(ARGS)

# The Go toolchain of a release is the same everywhere: that of hack/release/go.mod.
RELEASE_ENV = GOTOOLCHAIN=$$(sed -n 's/^toolchain //p' "$(CURDIR)/hack/release/go.mod")
RELEASE_GO = $(RELEASE_ENV) $(GO)

.PHONY: release test-release images test-images .release
.release:
	@mkdir -p .tools/bin; $(call program,.,$(CURDIR)/.tools/bin/release,-C hack/release -trimpath -buildvcs=false,$(RELEASE_GO))

build: ## Build the operator and its helper, static, into bin/
	@rm -f bin/manager bin/fluxoperator-gen
	$(GO) build -trimpath -ldflags '-s -w' -o bin/ ./cmd/manager ./cmd/fluxoperator-gen

cluster: bin/cluster ## Start a control plane for tests and leave it running; `bin/cluster down` stops it
	@$< up --crd $(CRD)

test-e2e: test-e2e-flux test-e2e-breaking test-e2e-operators test-upgrade ## Run the tests that need a control plane; each starts its own

test-e2e-flux: bin/cluster bin/helm
	E2E=1 $< run --crd $(CRD) -- $(GO) test -short -count=1 -timeout 40m -v ./test/e2e

test-e2e-breaking: bin/cluster
	E2E=1 CI=true $< run -- $(GO) -C sdkgen test -count=1 -p 1 -timeout 25m -run TestServer -v ./internal/breaking ./internal/stage/schemas ./test/explain

test-upgrade: bin/cluster bin/helm ## Upgrade the operator from PREVIOUS (a git ref; default: the last release) while MiniClusters run; ARGS="-report ../../docs/operator.md" writes the figures
	E2E=1 $< run -- $(GO) test -count=1 -timeout 20m -v -run TestUpgrade ./test/e2e -upgrade -previous "$(PREVIOUS)" $(ARGS)

test-e2e-operators: tools bin/cluster bin/helm
	$(call operators,test-e2e)

test-cluster: bin/cluster ## Test the control plane itself: crashes, kills, restarts
	@$< build >/dev/null
	cd test/cluster && CI=true $(GO) test -timeout 20m ./...
	cd test/cluster/kubestack && $(GO) test -trimpath ./internal/node

test-realflux: bin/cluster ## Test the operator on real Flux brokers, in the images of FLUX_LAYERS (hack/build-flux.sh); writes docs/real-flux.md
	@test -n "$$FLUX_LAYERS" || { echo "test-realflux did not run: FLUX_LAYERS is not set; hack/build-flux.sh builds the layers and sets it" >&2; exit 2; }
	@number=0; names=; set --; stubs=$(CURDIR)/test/realflux/testdata/stubs; \
	for layers in $$FLUX_LAYERS; do \
		name=localhost/flux:$$number; names="$$names $$name"; set -- "$$@" --image "$$name=$$stubs:$$layers"; number=$$((number + 1)); \
	done; \
	for image in $(EXAMPLE_IMAGES); do set -- "$$@" --image "$$image=$$stubs:$${FLUX_LAYERS%% *}"; done; \
	REALFLUX="$$names" $< run --crd $(CRD) "$$@" -- $(GO) test -count=1 -timeout 80m -parallel 6 -v ./test/realflux -report "$(CURDIR)/docs/real-flux.md" $(ARGS)

test-faults: bin/cluster ## Test the operator under failures and load; writes the tables of docs/reliability.md
	E2E=1 $< run --crd $(CRD) -- $(GO) test -count=1 -timeout 40m -v -run 'Fault|Load' ./test/e2e -report "$(CURDIR)/docs/reliability.md"

bench: tools ## Measure sdkgen against the classic recipe, N rounds; writes docs/performance.md
	@$(GO) run -C sdkgen ./test/bench -C .. -n $(N) -report docs/performance.md $(ARGS)

bench-go: ## Measure the generated Go client's JSON against encoding/json
	@$(GO) test -run '^$$' -bench JSON $(ARGS) ./test/lightclient

bench-python: export PYTHONDONTWRITEBYTECODE :=
bench-python: tools ## Measure the Python SDK against its alternatives, N rounds; writes docs/python-performance.md
	@PYTHONPATH=test/python $(PYTHON) -m bench -n $(N) --workdir .tools/python-bench --report docs/python-performance.md $(ARGS)

bench-go-clients: ## Measure size and speed of the Go clients; writes docs/go-clients.md
	@$(GO) run ./test/clientcost -report docs/go-clients.md $(ARGS)

lint: ## Run gofmt, go vet, staticcheck and golangci-lint $(GOLANGCI)
	@unformatted=$$(git ls-files -co --exclude-standard -- '*.go' ':!:*/testdata/*' | xargs "$$($(GO) env GOROOT)/bin/gofmt" -l); \
		test -z "$$unformatted" || { echo "not formatted (gofmt -w):" >&2; echo "$$unformatted" >&2; exit 1; }
	$(call each,$(GO) vet ./...,$(LINTED))
	cd sdk/go && $(GO) run honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK) ./...
	cd sdkgen && $(GO) run honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK) ./runtime/...
	@command -v golangci-lint >/dev/null || { echo "golangci-lint is not installed: go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI)" >&2; exit 2; }
	$(call each,golangci-lint run $(ARGS),$(LINTED))

scan: bin/helm ## Scan the chart and config/ with kube-score; hack/kube-score.conf has the exceptions
	@GO=$(GO) KUBE_SCORE=$(KUBE_SCORE) hack/scan.sh

.PHONY: golangci-lint vuln audit workflows publishers
golangci-lint: ## Install golangci-lint $(GOLANGCI) into GOBIN
	$(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI)

vuln: ## Look for known vulnerabilities that code in the Go modules reaches; needs the network
	@failed=; for module in $$(git ls-files '*go.mod'); do \
		echo "$$module: govulncheck"; \
		(cd "$$(dirname "$$module")" && $(GO) run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK) $(ARGS) ./...) || failed="$$failed $$module"; \
	done; test -z "$$failed" || { echo "vuln: see above:$$failed" >&2; exit 1; }

audit: ## Look for known vulnerabilities of the Python packages in every requirements file; needs the network
	@$(PYTHON) hack/environment.py .tools/audit --require-hashes -r hack/audit/requirements.txt
	@failed=; for file in $$(git ls-files '*requirements*.txt' hack/release/wheels/build.txt); do \
		echo "$$file: pip-audit"; \
		.tools/audit/bin/pip-audit --strict --progress-spinner off $$(! grep -q -e --hash "$$file" || echo --require-hashes --disable-pip) \
			-r "$$file" $(ARGS) || failed="$$failed $$file"; \
	done; test -z "$$failed" || { echo "audit: see above:$$failed" >&2; exit 1; }

workflows: ## Check the workflows and the Action with actionlint and zizmor
	$(PYTHON) test/install/run.py test_workflows

publishers: bin/helm ## Build what the release workflow pushes and signs with
	@mkdir -p .tools/bin; $(call program,github.com/google/go-containerregistry/cmd/crane@$(CRANE),$(CURDIR)/.tools/bin/crane,-trimpath)
	@$(call program,github.com/sigstore/cosign/v3/cmd/cosign@$(COSIGN),$(CURDIR)/.tools/bin/cosign,-trimpath)

docs: ## Check the links and make targets in the documents
	@$(PYTHON) docs/check.py

tools: .built ## Build sdkgen into .tools/ and fetch the pinned tools there
	@$(SDKGEN) tools --tools .tools --python $(PYTHON)

ruff: ## Install ruff into .tools/, which checks the style of generated Python
	@$(PYTHON) hack/environment.py .tools/ruff -r sdkgen/runtime/python/tests/requirements.txt

.built:
	@# The lock does not tell one development build from another, so a new program runs every stage once.
	@mkdir -p $(dir $(SDKGEN)); old=$$(cksum $(SDKGEN) 2>&1); \
		$(call program,.,$(abspath $(SDKGEN)),-C sdkgen -buildvcs=false -ldflags '-s -w') && \
		{ test "$$old" = "$$(cksum $(SDKGEN))" || touch $(REBUILT); }

clean: ## Remove .tools/, bin/, dist/ and site/; the next run fetches the tools again
	rm -rf .tools bin dist site

bin/cluster:
	@mkdir -p bin; $(call program,.,$(CURDIR)/$@,-C test/cluster -buildvcs=false)

bin/helm:
	@mkdir -p bin; $(call program,helm.sh/helm/v4/cmd/helm@$(HELM),$(CURDIR)/$@,-trimpath)

help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z0-9-]+:.*## / { gsub(/\$$\(GOLANGCI\)/, "$(GOLANGCI)"); printf "  %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

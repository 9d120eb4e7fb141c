# The operator and fluxoperator-gen in one image:
#   docker run --rm -i --entrypoint fluxoperator-gen IMAGE -f - < minicluster.yaml
FROM --platform=$BUILDPLATFORM golang:1.26 AS builder
ARG TARGETOS
ARG TARGETARCH
WORKDIR /workspace
COPY go.mod go.sum ./
COPY api/go.mod api/go.sum api/
COPY sdk/go/go.mod sdk/go/go.sum sdk/go/
RUN go mod download
COPY api api
COPY cmd/fluxoperator-gen cmd/fluxoperator-gen
COPY cmd/manager cmd/manager
COPY config/crd config/crd
COPY internal/controller internal/controller
COPY internal/diag internal/diag
COPY pkg pkg
RUN CGO_ENABLED=0 GOOS=${TARGETOS:-linux} GOARCH=${TARGETARCH} \
    go build -trimpath -ldflags="-s -w" -o /out/ ./cmd/manager ./cmd/fluxoperator-gen

# Both are static, and need no file of a system.
FROM scratch
COPY --from=builder /out/manager /manager
COPY --from=builder /out/fluxoperator-gen /usr/bin/fluxoperator-gen
ENV PATH=/usr/bin
USER 65532:65532
ENTRYPOINT ["/manager"]

package realflux

import "testing"

// TestJobs: what the spec asks of a job that runs to its end.
func TestJobs(t *testing.T) {
	scenarios(t, "Jobs", map[string]scenario{
		"resources": {
			feature: "size 4, `flux resource list; flux run -N4 hostname`",
			spec:    `{size: 4, containers: [{command: flux resource list; flux run -N4 -n4 hostname}]}`,
			log:     map[string]int{`^fx-[0-3]$`: 4, `free +4\s`: -1},
		},
		"one": {
			feature: "size 1",
			spec:    `{containers: [{command: hostname; id -un}]}`,
			log:     map[string]int{`^fx-0$`: 1, `^flux$`: 1},
		},
		"sixteen": {
			feature: "16 pods", limit: 4 * usual, newest: true,
			spec: `{size: 16, tasks: 16, logging: {quiet: true}, containers: [{command: hostname}]}`,
			log:  map[string]int{`^fx-\d+$`: 16},
		},
		"tasks": {
			feature: "more tasks than pods",
			spec:    `{size: 3, tasks: 6, containers: [{command: hostname}]}`,
			log:     map[string]int{`^fx-0$`: 2, `^fx-1$`: 2, `^fx-2$`: 2},
		},
		"tasks-fewer": {
			feature: "fewer tasks than pods", newest: true,
			spec: `{size: 3, tasks: 2, containers: [{command: hostname}]}`,
			log:  map[string]int{`^fx-\d$`: 2},
		},
		"unsatisfiable": {
			feature: "more tasks than processors: the Job fails", newest: true,
			spec:  `{size: 2, tasks: 1000, containers: [{command: hostname}]}`,
			fails: `.`,
			log:   map[string]int{`unsatisfiable`: -1},
		},
		"cores": {
			feature: "`cores` up to those of the node", newest: true,
			spec: `{size: 2, containers: [{cores: 1, command: flux resource list}]}`,
			log:  map[string]int{`(free|allocated) +1 +1 `: 2},
		},
		"cores-more": {
			feature: "`cores` above those of the node: the Job fails, with the reason in the condition",
			spec:    `{size: 2, tasks: 8, containers: [{cores: 4096, command: hostname}]}`,
			fails:   `cores`,
		},
		"launcher": {
			feature: "`launcher`, with workingDir, environment, pre and brokerPre",
			spec: `
size: 4
tasks: 4
logging: {timed: true}
containers:
- launcher: true
  workingDir: /workflow
  command: "pwd; id -un; echo HOME=$HOME $MARK; flux run -N4 hostname && echo 'all $done'"
  commands: {pre: mkdir -p /workflow/results, brokerPre: echo "The workflow starts from $(hostname)."}
  environment: {MARK: mark me}`,
			log: map[string]int{`^fx-[0-3]$`: 4, `^all \$done$`: 1, `^HOME=/home/flux mark me$`: 1, `^/workflow$`: 1,
				`^flux start took`:                  1,
				`^The workflow starts from fx-0\.$`: 1},
		},
		"script": {
			feature: "a command of several lines with quotes and a here-document",
			spec: `
size: 2
tasks: 2
containers:
- command: |
    set -e
    for i in 1 2; do
      echo "it's $i 'quoted' \"d\" $(hostname) $FLUX_TASK_RANK"
    done
    cat <<E
    heredoc $((1+1))
    E`,
			log: map[string]int{`^it's [12] 'quoted' "d" fx-\d \d$`: 4, `^heredoc 2$`: 2},
		},
		"environment": {
			feature: "`environment` and `secrets`",
			run: func(r *run) {
				r.secret("s", map[string]string{"k": "se cret"})
				r.start(`
size: 2
tasks: 2
containers:
- command: echo "$ONE|$TWO|$THREE|$PYTHONPATH"
  environment: {ONE: a b  c, TWO: it's "quoted" $HOME, PYTHONPATH: /opt/some/where}
  secrets: {THREE: {name: s, key: k}}`)
				r.completes(usual)
				r.has(0, 2, `^a b  c\|it's "quoted" \$HOME\|se cret\|.*/opt/some/where`)
			},
		},
		"commands": {
			feature: "`commands`: init, pre, brokerPre, workerPre, prefix, post",
			run: func(r *run) {
				r.start(`
size: 2
tasks: 2
containers:
- command: echo command $(hostname) $INIT
  commands:
    init: export INIT=from-init; echo init
    pre: echo pre $(hostname)
    brokerPre: echo brokerPre
    workerPre: echo workerPre
    prefix: nice -n 1
    post: echo post $(hostname)`)
				r.completes(usual)
				r.has(0, 1, `^init$`)
				r.has(0, 1, `^pre fx-0$`)
				r.has(0, 1, `^brokerPre$`)
				r.has(0, 0, `^workerPre$`)
				r.has(0, 2, `^command fx-\d from-init$`)
				r.has(0, 1, `^post fx-0$`)
				r.has(1, 1, `^workerPre$`)
			},
		},
		"quiet": {
			feature: "`logging.quiet`: only the output of the command and of post",
			run: func(r *run) {
				r.start(`
size: 2
tasks: 2
logging: {quiet: true}
containers:
- command: hostname; echo to-err >&2
  commands: {pre: echo pre, post: echo post}`)
				r.completes(usual)
				r.has(0, 5, `^.+$`)
				r.has(0, 2, `^fx-[01]$`)
				r.has(0, 2, `^to-err$`)
				r.has(0, 1, `^post$`)
				r.has(1, 0, `^(fx-|to-err|pre)`)
			},
		},
		"quiet-strict": {
			feature: "`logging.quiet` with a `pre` that fails: its output is shown, and the Job fails",
			spec:    `{size: 2, logging: {quiet: true}, containers: [{command: echo ran, commands: {pre: ls /not/here}}]}`,
			fails:   `.`,
			log:     map[string]int{`/not/here`: -1, `^ran$`: 0},
		},
		"strict-off": {
			feature: "`logging.strict: false`", newest: true,
			spec: `{size: 2, logging: {strict: false}, containers: [{command: echo ran, commands: {pre: "false", brokerPre: "false"}}]}`,
			log:  map[string]int{`^ran$`: 1},
		},
		"timed": {
			feature: "`logging.timed` and `debug`",
			spec:    `{size: 2, tasks: 2, logging: {timed: true, debug: true}, containers: [{command: hostname}]}`,
			log:     map[string]int{`^flux run took`: 1, `^flux start took`: 1, `^fx-\d$`: 2},
		},
		"zeromq": {
			feature: "`logging.zeromq`, `flux.logLevel: 7`", newest: true,
			spec: `{size: 2, tasks: 2, logging: {zeromq: true}, flux: {logLevel: 7}, containers: [{command: hostname}]}`,
			log:  map[string]int{`^fx-\d$`: 2, `(?i)zmq`: -1},
		},
		"stream": {
			feature: "output of the job comes as it is written",
			run:     streams,
		},
		"batch": {
			feature: "`batch` in the default working directory",
			spec:    `{containers: [{batch: true, command: "echo first\nsleep 1\nhostname\n", commands: {post: "cat $FLUX_OUTPUT_DIR/job-*.out"}}]}`,
			log:     map[string]int{`^first$`: 1, `^fx-0$`: 1},
		},
		"batch-logs": {
			feature: "`batch` with `logs` on a volume", newest: true,
			run: func(r *run) {
				r.start(`
size: 2
tasks: 2
volumes: {results: {path: ` + hostPaths + "/" + r.namespace + `}}
containers: [{batch: true, command: "hostname\nhostname\nhostname\n", logs: /results, volumes: {results: {path: /results}}, commands: {post: "cat /results/job-*.out"}}]`)
				r.completes(usual)
				r.has(0, 3, `^fx-\d$`)
			},
		},
		"batch-raw": {
			feature: "`batchRaw` in the default working directory",
			spec:    `{size: 2, tasks: 2, containers: [{batch: true, batchRaw: true, command: "flux run -N2 hostname\n", commands: {post: "cat $FLUX_OUTPUT_DIR/*"}}]}`,
			log:     map[string]int{`^fx-0$`: -1, `^fx-1$`: -1},
		},
		"working-directory": {
			feature: "`workingDir` is the Flux user's",
			spec:    `{size: 2, tasks: 2, containers: [{command: touch here && echo writable, workingDir: /home/flux/examples}]}`,
			log:     map[string]int{`^writable$`: 2},
		},
		"root": {
			feature: "`commands.runFluxAsRoot`",
			spec:    `{size: 2, tasks: 2, containers: [{command: id -un, commands: {runFluxAsRoot: true}}]}`,
			log:     map[string]int{`^root$`: 2},
		},
		"user": {
			feature: "`fluxUser`", newest: true,
			spec: `{size: 2, tasks: 2, containers: [{command: id, fluxUser: {name: fluxuser, uid: 1234}}]}`,
			log:  map[string]int{`^uid=1234\(fluxuser\)`: 2},
		},
		"diagnostics": {
			feature: "`diagnostics`", newest: true,
			run: func(r *run) {
				r.start(`{size: 2, containers: [{diagnostics: true}]}`)
				r.wrote(usual, 0, `fx-1: full`)
			},
		},
	})
}

// TestFlux: the part flux of the spec.
func TestFlux(t *testing.T) {
	const own = `
size: 4
tasks: 4
flux:
  brokerConfig: |
    [access]
    allow-root-owner = true
    [resource]
    path = "/etc/flux/system/R"
    [bootstrap]
    curve_cert = "/etc/curve/curve.cert"
    default_port = 8050
    default_bind = "tcp://eth0:%p"
    default_connect = "tcp://%h.flux-service:%p"
    hosts = [{host="fx-0", bind="tcp://eth0:8050", connect="tcp://fx-0.flux-service:8050"}, {host="fx-[1-3]"}]
    [archive]
    period = "1m"
containers:
- command: hostname; flux config get archive.period`
	scenarios(t, "Flux", map[string]scenario{
		"options": {
			feature: "`optionFlags`",
			spec:    `{size: 2, tasks: 2, flux: {optionFlags: --env=MARK=yes -o verbose=1}, containers: [{command: echo mark=$MARK}]}`,
			log:     map[string]int{`^mark=yes$`: 2},
		},
		"own-configuration": {feature: "`brokerConfig`", spec: own, log: map[string]int{`^fx-\d$`: 4, `^1m$`: 4}},
		"minimal-service": {
			feature: "`minimalService`: only the lead broker has a name",
			spec:    `{size: 4, tasks: 4, flux: {minimalService: true}, containers: [{command: hostname}]}`,
			log:     map[string]int{`^fx-\d$`: 4},
		},
		"wrap": {
			feature: "`wrap`", newest: true,
			spec: `{size: 2, tasks: 2, flux: {wrap: "strace,-f,-e,trace=connect,-o,/tmp/trace"}, containers: [{command: hostname, commands: {post: wc -l /tmp/trace}}]}`,
			log:  map[string]int{`^fx-\d$`: 2, `^\d+ /tmp/trace$`: 1},
		},
		"timeout": {
			feature: "`connectTimeout` off", newest: true,
			spec: `{size: 2, tasks: 2, flux: {connectTimeout: ""}, containers: [{command: hostname}]}`,
			log:  map[string]int{`^fx-\d$`: 2},
		},
		"timeout-short": {
			feature: "`connectTimeout` 500ms", newest: true,
			spec: `{size: 2, tasks: 2, flux: {connectTimeout: 500ms}, containers: [{command: hostname}]}`,
			log:  map[string]int{`^fx-\d$`: 2},
		},
		"munge": {
			feature: "`mungeSecret`",
			run: func(r *run) {
				r.mungeKey()
				r.start(`{size: 2, tasks: 2, flux: {mungeSecret: munge-key}, containers: [{command: munge -n | unmunge | head -3}]}`)
				r.completes(usual)
				r.has(0, 2, `Success`)
			},
		},
		"own-certificate": {
			feature: "`curveCertSecret`, made by `flux keygen`",
			run: func(r *run) {
				r.secret("curve", map[string]string{"curve.cert": r.certificate()})
				r.start(`{size: 2, tasks: 2, flux: {curveCertSecret: curve}, containers: [{command: hostname}]}`)
				r.completes(usual)
				r.has(0, 2, `^fx-\d$`)
			},
		},
		"bursting": {feature: "bursting: a second MiniCluster joins by `leadBroker`", run: bursts},
	})
}

// TestExits: the Job ends as the command does, at once and once.
func TestExits(t *testing.T) {
	all := map[string]scenario{}
	for name, container := range map[string]string{
		"code 7":                           `{command: echo ran; exit 7}`,
		"a program that does not exist":    `{command: echo ran; nosuchprogram --x}`,
		"SIGKILL":                          `{command: echo ran; kill -9 $$}`,
		"SIGTERM":                          `{command: echo ran; kill -TERM $$}`,
		"code 7, `launcher`":               `{command: echo ran; exit 7, launcher: true}`,
		"SIGKILL, `launcher`":              `{command: echo ran; kill -9 $$, launcher: true}`,
		"SIGTERM of a job of `launcher`":   `{command: echo ran; flux run sh -c 'kill -TERM $$', launcher: true}`,
		"code 7 in a line of `batch`":      `{command: "true\nexit 7\n", batch: true, commands: {brokerPre: echo ran}}`,
		"code 7 in a script of `batchRaw`": `{command: "exit 7\n", batch: true, batchRaw: true, commands: {brokerPre: echo ran}}`,
	} {
		all[name] = scenario{
			feature: "the command ends by " + name + ": the Job fails", limit: usual,
			run: func(r *run) {
				r.start(`{size: 2, containers: [` + container + `]}`)
				r.fails(usual, `.`)
				if n := r.logs.starts("fx", 0); n != 1 {
					r.Errorf("the lead broker was started %d times", n)
				}
				r.has(0, 1, `^ran$`)
			},
		}
	}
	scenarios(t, "Failing commands", all)
}

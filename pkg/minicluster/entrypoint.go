package minicluster

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"
	"text/template"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

//go:embed templates/*.sh
var templateFiles embed.FS

// watchScript runs the command, and finds the brokers that were lost under it.
//
//go:embed watch.py
var watchScript string

// restfulRequirements are the Flux RESTful API and its dependencies, with hashes.
//
//go:embed restful.txt
var restfulRequirements string

// The file names of watchScript and restfulRequirements.
const (
	watchKey   = "watch.py"
	restfulKey = "restful.txt"
)

var templates = template.Must(template.New("").Funcs(template.FuncMap{"quote": quote}).ParseFS(templateFiles,
	"templates/*.sh"))

// Paths in the container that runs Flux.
const (
	scriptDir       = "/flux_operator"
	configDir       = "/etc/flux/config"
	curveDir        = "/mnt/curve"
	mungeDir        = "/mnt/munge"
	runDir          = "/run/flux"
	certificateFile = "/etc/curve/curve.cert"
	resourceFile    = "/etc/flux/system/R"
	mungeFile       = "munge.key"
)

// script is the data of an entrypoint's template. Commands are inserted as the user wrote them; all
// other strings are quoted by the template.
type script struct {
	MiniCluster *api.MiniCluster
	Container   *api.MiniClusterContainer
	Service     bool // the container is in the pod of spec.services, which has no index
}

// scripts returns the files of the entrypoint ConfigMap: an entrypoint for each container that runs Flux
// or has a command, and the batch script.
func scripts(mc *api.MiniCluster) (map[string]string, error) {
	data := map[string]string{}
	for _, s := range entrypoints(mc) {
		name := "container.sh"
		if s.Flux() {
			name = "flux.sh"
		}
		text, err := s.render(name)
		if err != nil {
			return nil, err
		}
		data[s.key()] = text
		if s.Flux() {
			data[watchKey] = watchScript
		}
		if s.Flux() && s.ServesRestful() {
			data[restfulKey] = restfulRequirements
		}
		if s.Flux() && s.Container.Batch {
			data[batchKey(mc)] = s.batch()
		}
	}
	return data, nil
}

func entrypoints(mc *api.MiniCluster) []script {
	var all []script
	add := func(containers []api.MiniClusterContainer, service bool) {
		for i := range containers {
			if s := (script{mc, &containers[i], service}); s.exists() {
				all = append(all, s)
			}
		}
	}
	add(mc.Spec.Containers, false)
	add(mc.Spec.Services, true)
	return all
}

func (s script) render(name string) (string, error) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, s); err != nil {
		return "", fmt.Errorf("rendering the entrypoint of container %q: %w", s.Container.Name, err)
	}
	return b.String(), nil
}

// exists reports whether the container has an entrypoint. Otherwise it starts as its image says.
func (s script) exists() bool { return s.Flux() || s.Container.Command != "" }

// key is the file name of the entrypoint. It is unique, as names of containers have no dots.
func (s script) key() string {
	if s.Service {
		return s.Container.Name + ".service.sh"
	}
	return s.name() + ".sh"
}

// name is the name of the container. The one that runs Flux has the name of the MiniCluster.
func (s script) name() string {
	if s.Flux() {
		return s.MiniCluster.Name
	}
	return s.Container.Name
}

// Flux reports whether the container runs Flux.
func (s script) Flux() bool { return s.Container.RunFlux && !s.Service }

// Sidecar reports whether the container runs beside Flux.
func (s script) Sidecar() bool { return !s.Flux() && !s.Service }

func batchKey(mc *api.MiniCluster) string { return mc.Name + ".batch.sh" }

// Strict reports whether the entrypoint exits at the first command that fails.
func (s script) Strict() bool { return *s.MiniCluster.Spec.Logging.Strict }

// Hosts are the hosts that Flux schedules on.
func (s script) Hosts() string { return hosts(s.MiniCluster) }

// Extends reports whether the lead broker is in another cluster.
func (s script) Extends() bool { return s.MiniCluster.Spec.Flux.Bursting.LeadBroker != nil }

// Munge reports whether the pods have a munge key.
func (s script) Munge() bool {
	return MultiUser(s.MiniCluster) || s.MiniCluster.Spec.Flux.MungeSecret != ""
}

// Restricted reports whether the container runs without root.
func (s script) Restricted() bool { return restricted(s.MiniCluster) }

// ServesRestful reports whether the lead broker serves the Flux RESTful API.
func (s script) ServesRestful() bool { return servesRestful(s.MiniCluster) }

// RestfulAsRoot reports whether the Flux RESTful API runs as root, to run the jobs of several users as these.
// Otherwise it runs as the owner, and so do all jobs.
func (s script) RestfulAsRoot() bool { return s.ServesRestful() && MultiUser(s.MiniCluster) }

// ServeRestful returns the arguments of Python that serve the Flux RESTful API.
func (s script) ServeRestful() string {
	return fmt.Sprintf("-m flux_restful.cli serve --port=%d", s.MiniCluster.Spec.FluxRestful.Port)
}

// Size is the number of brokers that the job waits for.
func (s script) Size() int32 { return Size(s.MiniCluster) }

// Ranks are the ranks of those brokers.
func (s script) Ranks() string { return indexes(s.Size()) }

// Quorum reports whether the job starts with fewer brokers than are configured.
func (s script) Quorum() bool {
	return !s.Extends() && (bursts(s.MiniCluster) || s.Size() < MaximumSize(s.MiniCluster))
}

// Cores returns the option of flux R encode for the cores of a pod.
func (s script) Cores() string {
	if s.Container.Cores == 0 {
		return "--local"
	}
	return "--cores=" + indexes(s.Container.Cores)
}

// UID is the user ID with which the Flux user is created.
func (s script) UID() int { return *s.Container.FluxUser.UID }

// OptionFlags returns the options of flux submit in the spec.
func (s script) OptionFlags() string {
	return strings.Join(strings.Fields(s.MiniCluster.Spec.Flux.OptionFlags), " ")
}

// Attributes returns the broker attributes that do not depend on the pod, quoted.
func (s script) Attributes() []string {
	spec := s.MiniCluster.Spec
	level := *spec.Flux.LogLevel
	if spec.Logging.Quiet {
		level = 0
	}
	rundir, statedir := runDir, "/var/lib/flux"
	if s.Restricted() { // the broker wants directories of its own; runDir has a link to its socket
		rundir, statedir = runDir+"/broker", runDir+"/state"
	}
	all := []string{
		"tbon.fanout=256",
		"rundir=" + rundir,
		"statedir=" + statedir,
		"local-uri=local://" + rundir + "/local",
		"log-stderr-mode=local",
		"log-stderr-level=" + strconv.Itoa(int(level)),
	}
	if timeout := *spec.Flux.ConnectTimeout; timeout != "" {
		all = append(all, "tbon.connect_timeout="+timeout)
	}
	if spec.Logging.Zeromq {
		all = append(all, "tbon.zmqdebug=1")
	}
	if spec.Interactive {
		all = append(all, "broker.rc2_none")
	}
	if spec.Archive.Path != "" {
		all = append(all, "content.dump="+s.Dump())
	}
	for i, attribute := range all {
		all[i] = quote("-S" + attribute)
	}
	return all
}

// Dump is the file that Flux writes before it replaces the archive. Its extension is the format.
func (s script) Dump() string {
	dir, file := path.Split(s.MiniCluster.Spec.Archive.Path)
	return dir + ".new-" + file
}

// Shell is the shell of the entrypoint.
func (s script) Shell() string {
	if s.Flux() {
		return "/bin/bash"
	}
	return "/bin/sh"
}

// Program returns the shell command that the lead broker runs; it is empty if it waits for jobs.
func (s script) Program() string {
	c, spec := s.Container, s.MiniCluster.Spec
	switch {
	case c.Diagnostics:
		return "bash -c " + quote("flux overlay status; flux lsattr -v; flux dmesg; sleep infinity")
	case spec.Interactive:
		return ""
	case c.Command == "":
		if s.RestfulAsRoot() { // it leaves its exit code in this pipe
			return "bash -c " + quote("read -r status </run/flux/restful && exit $status")
		}
		return "$restfulPython " + s.ServeRestful()
	case c.Batch:
		id := s.submit("batch", "--output=kvs", scriptDir+"/"+batchKey(s.MiniCluster))
		return "bash -c " + quote("set -o pipefail; id=$("+id+
			") && flux job attach \"$id\" 2>&1 | tee \"$FLUX_OUTPUT_DIR/batch.out\"")
	case c.Launcher:
		return "bash -c " + quote(c.Command)
	}
	return s.submit("run", "bash", "-c", c.Command)
}

// submit returns the shell command that submits the job to Flux. args are options, followed by the
// program and its arguments.
func (s script) submit(verb string, args ...string) string {
	spec := s.MiniCluster.Spec
	words := []string{"flux", verb}
	if spec.Logging.Timed {
		words = append([]string{"/usr/bin/time", "-f", "flux " + verb + " took %E"}, words...)
	}
	if spec.Tasks >= s.Size() {
		words = append(words, "-N", strconv.Itoa(int(s.Size())))
	}
	words = append(words, "-n", strconv.Itoa(int(spec.Tasks)))
	if spec.Logging.Debug {
		words = append(words, "-vvv")
	}
	words = append(words, strings.Fields(spec.Flux.OptionFlags)...)
	return join(append(words, args...))
}

// batch returns the batch script. Unless batchRaw is set, it submits each line of the command as a job.
func (s script) batch() string {
	if s.Container.BatchRaw {
		return "#!/bin/bash\n" + s.Container.Command + "\n"
	}
	words := append([]string{"flux", "submit", "--flags=waitable"}, strings.Fields(s.MiniCluster.Spec.Flux.OptionFlags)...)
	var b strings.Builder
	fmt.Fprintf(&b, `#!/bin/bash
jobs=0
submit() {
  %s --error="$FLUX_OUTPUT_DIR/job-$jobs.err" --output="$FLUX_OUTPUT_DIR/job-$jobs.out" bash -c "$1"
  jobs=$((jobs + 1))
}
`, join(words))
	for line := range strings.Lines(s.Container.Command) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString("submit " + quote(line) + "\n")
		}
	}
	b.WriteString("flux job wait --all\nstatus=$?\nflux jobs -a\nexit $status\n")
	return b.String()
}

// quote quotes s as one word of shell.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// join quotes words and joins them to a shell command.
func join(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	return strings.Join(quoted, " ")
}

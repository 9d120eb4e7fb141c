package minicluster

import (
	"bytes"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

//go:embed templates/*.sh
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"quote": quote}).ParseFS(templateFiles, "templates/*.sh"))

// Paths in the container that runs Flux.
const (
	scriptDir       = "/flux_operator"
	configDir       = "/etc/flux/config"
	curveDir        = "/mnt/curve"
	mungeDir        = "/mnt/munge"
	restfulDir      = "/mnt/flux-restful"
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

func batchKey(mc *api.MiniCluster) string { return mc.Name + ".batch.sh" }

// Strict reports whether the entrypoint exits at the first command that fails.
func (s script) Strict() bool { return *s.MiniCluster.Spec.Logging.Strict }

// Hosts are the hosts that Flux schedules on.
func (s script) Hosts() string { return hosts(s.MiniCluster) }

// Extends reports whether the lead broker is in another cluster.
func (s script) Extends() bool { return s.MiniCluster.Spec.Flux.Bursting.LeadBroker != nil }

// ServesRestful reports whether the lead broker serves the Flux RESTful API.
func (s script) ServesRestful() bool { return servesRestful(s.MiniCluster) }

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
	all := []string{
		"tbon.fanout=256",
		"rundir=/run/flux",
		"statedir=/var/lib/flux",
		"local-uri=local:///run/flux/local",
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
	if path := spec.Archive.Path; path != "" {
		all = append(all, "content.dump="+path)
	}
	for i, attribute := range all {
		all[i] = quote("-S" + attribute)
	}
	return all
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
		return fmt.Sprintf("uvicorn app.main:app --host=0.0.0.0 --port=%d", spec.FluxRestful.Port)
	case c.Batch:
		line := s.submit("batch", "--flags=waitable", scriptDir+"/"+batchKey(s.MiniCluster))
		return "bash -c " + quote(line+" && flux job wait --all")
	case c.Launcher:
		return "bash -c " + quote(c.Command)
	}
	return s.submit("submit", "--quiet", "--watch", "bash", "-c", c.Command)
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
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	jobs := 0
	for line := range strings.Lines(s.Container.Command) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		words := append([]string{"flux", "submit", "--flags=waitable"}, strings.Fields(s.OptionFlags())...)
		fmt.Fprintf(&b, "%s --error=\"$FLUX_OUTPUT_DIR/job-%d.err\" --output=\"$FLUX_OUTPUT_DIR/job-%d.out\" bash -c %s\n",
			join(words), jobs, jobs, quote(line))
		jobs++
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

package jar

import (
	"context"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// command prepares to run a java in a directory, which is its home too. It gets nothing of the
// user's environment, whose JAVA_TOOL_OPTIONS or locale could change the output, and it does
// not outlive the context.
func command(ctx context.Context, dir, java string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, java, args...)
	cmd.Dir = dir
	cmd.Env = []string{"LC_ALL=C.UTF-8", "HOME=" + dir}
	cmd.WaitDelay = 2 * time.Second
	group(cmd)
	return cmd
}

// memory says so if the process seems to have died of too little memory.
func memory(cmd *exec.Cmd, output string) string {
	const killed = 137 // by SIGKILL, in a shell's or a container's words
	signal := cmd.ProcessState != nil && (cmd.ProcessState.ExitCode() == killed ||
		cmd.ProcessState.String() == "signal: killed")
	if signal || strings.Contains(output, "OutOfMemoryError") || strings.Contains(output, "insufficient memory") {
		return " (out of memory? Java needs about 200 MB)"
	}
	return ""
}

// noise are lines of the jar that say nothing of a failure: its log, its greetings and the
// frames of a stack.
var noise = regexp.MustCompile(
	`] (INFO|WARN) |^WARNING: |^(Includes|Root): |^#(.*#)?$|^(\[[\w-]+\] )?(Generating|Finished generating) |^\tat |^\t\.\.\. \d+ more`)

// tail returns the lines of the jar's output that say what went wrong, each once and on a line
// of its own, at most 30; the last of all lines if none does. Threads are not named: which one a
// job has is chance.
func tail(output string) string {
	var all, lines []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		indented := "\n    " + thread.ReplaceAllString(line, "")
		all = append(all, indented)
		if line != "" && !noise.MatchString(line) && !slices.Contains(lines, indented) {
			lines = append(lines, indented)
		}
	}
	if len(lines) == 0 {
		lines = all
	}
	return strings.Join(lines[max(0, len(lines)-30):], "")
}

var thread = regexp.MustCompile(`^\[(main|pool-\d+-thread-\d+)\] `)

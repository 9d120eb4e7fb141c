package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/pipeline"
)

// Exit codes.
const (
	exitOK          = 0
	exitDiffers     = 1   // verify found a difference, or an API rule is broken
	exitUndecided   = 2   // bad configuration or input, or a missing tool
	exitInterrupted = 130 // SIGINT or SIGTERM; nothing was written, or everything
)

// differs says that the tree is not what generate would make. For people the diff is on stdout
// already, a program gets a finding for each file.
type differs struct{ findings diag.List }

func (*differs) Error() string {
	return "the generated files are not up to date: run `sdkgen generate`"
}

// flags are common to all verbs.
type flags struct {
	dir     string
	config  string
	tools   string
	noCache bool
	format  string
	quiet   bool
	verbose bool
}

// app is what the verbs share.
type app struct {
	flags
	stdout, stderr io.Writer
}

// run runs the command line, until it ends or is interrupted, and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{stdout: stdout, stderr: stderr}
	cmd := a.root()
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintln(stderr, "sdkgen: interrupted")
		return exitInterrupted
	}
	a.report(err)
	_, broken := errors.AsType[*pipeline.BrokenRules](err)
	if _, different := errors.AsType[*differs](err); broken || different {
		return exitDiffers
	}
	return exitUndecided
}

// report prints what is wrong: to stdout where a program is to read it, else to stderr.
func (a *app) report(err error) {
	format, formatErr := diag.ParseFormat(a.format)
	if formatErr == nil && format != diag.Text {
		findings := diag.Of(err)
		if d, ok := errors.AsType[*differs](err); ok {
			findings = d.findings
		}
		if err = diag.Print(a.stdout, format, findings); err == nil {
			return
		}
	}
	if list, findings := errors.AsType[diag.List](err); findings {
		err = list
	}
	fmt.Fprintln(a.stderr, "sdkgen:", err)
}

func (a *app) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:           "sdkgen",
		Short:         "Turn the Go API types of a Kubernetes operator into SDKs",
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			_, err := diag.ParseFormat(a.format)
			return err
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w: `%s --help` lists the flags", err, cmd.CommandPath())
	})
	f := cmd.PersistentFlags()
	f.StringVarP(&a.dir, "dir", "C", ".", "the project's root")
	f.StringVar(&a.config, "config", "", "the configuration, relative to the root (default sdkgen.yaml)")
	f.StringVar(&a.tools, "tools", "", "the directory of the jar and Java, relative to the root (default $SDKGEN_TOOLS, then .tools)")
	f.BoolVar(&a.noCache, "no-cache", false, "run every stage, also where nothing changed")
	f.StringVar(&a.format, "format", "text", "how findings are printed: text, json or github")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print errors only")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "print what is run")
	cmd.AddCommand(a.generate(), a.verify(), a.rules(), a.swagger(), a.doctor(), a.version())
	return cmd
}

// inProject makes a verb of what it does with the project that the flags name.
func (a *app) inProject(do func(context.Context, *pipeline.Project) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		env, err := a.environment()
		if err != nil {
			return err
		}
		project, err := pipeline.Open(env)
		if err != nil {
			return err
		}
		if err := errors.Join(do(cmd.Context(), project), project.Close()); err != nil || a.format != string(diag.JSON) || printsData(cmd) {
			return err
		}
		return diag.Print(a.stdout, diag.JSON, nil)
	}
}

// printsData says whether a verb prints something else than findings to stdout.
func printsData(cmd *cobra.Command) bool { return cmd.Name() == "swagger" }

// environment gathers what lies outside the command line, here and nowhere else.
func (a *app) environment() (pipeline.Environment, error) {
	root, err := filepath.Abs(a.dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return pipeline.Environment{}, diag.List{{Rule: "config", Message: "there is no directory " + a.dir, Hint: "-C names the project's root"}}
	}
	cache, err := os.UserCacheDir()
	if err != nil { // no HOME
		cache = os.TempDir()
	}
	return pipeline.Environment{
		Root: root, Config: filepath.ToSlash(a.config), Tools: a.tools, Environ: os.Environ(),
		TempDir: os.TempDir(), CacheDir: filepath.Join(cache, "sdkgen"),
		Modules: modules(), Build: build(), Log: a.logger(),
	}, nil
}

func (a *app) logger() *slog.Logger {
	level := slog.LevelInfo
	switch {
	case a.quiet:
		level = slog.LevelError
	case a.verbose:
		level = slog.LevelDebug
	}
	return slog.New(&progress{w: a.stderr, level: level})
}

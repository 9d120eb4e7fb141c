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
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/order"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"
)

// Exit codes.
const (
	exitOK          = 0
	exitDiffers     = 1   // verify found a difference, or an API rule is violated
	exitError       = 2   // invalid configuration or input, or a missing tool
	exitInterrupted = 130 // SIGINT or SIGTERM; nothing was written, or everything
)

// differs says that the tree is not what generate would make. With --format text the diff is on stdout
// already; the other formats print a diagnostic for each file.
type differs struct{ diagnostics diag.List }

func (d *differs) Error() string {
	if slices.ContainsFunc(d.diagnostics, func(d diag.Diagnostic) bool { return d.Hint == project.Regenerate }) {
		return "the generated files are not up to date: " + project.Regenerate
	}
	return "there are files among the generated ones that no stage made"
}

// flags are common to all commands.
type flags struct {
	dir     string
	config  string
	tools   string
	engine  string
	format  string
	quiet   bool
	verbose bool
}

// app is what the commands share.
type app struct {
	flags
	stdout, stderr io.Writer
	warnings       diag.List // for formats for programs, which print all diagnostics at the end
}

// warn prints warnings, or keeps them for the end.
func (a *app) warn(list diag.List) {
	if a.format != string(diag.Text) {
		a.warnings = append(a.warnings, list...)
		return
	}
	for _, d := range list.Sorted() {
		a.logger().Warn(d.String())
	}
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
	if failed, ok := errors.AsType[*broken](err); ok { // the changes were printed
		fmt.Fprintln(stderr, "sdkgen:", failed)
		return exitDiffers
	}
	if _, ok := errors.AsType[*reported](err); ok {
		return exitError
	}
	a.report(err)
	_, broken := errors.AsType[*gocode.BrokenRules](err)
	if _, different := errors.AsType[*differs](err); broken || different {
		return exitDiffers
	}
	return exitError
}

// report prints the diagnostics of err: to stdout in a format for programs, else to stderr.
func (a *app) report(err error) {
	format, formatErr := diag.ParseFormat(a.format)
	if formatErr == nil && format != diag.Text {
		diagnostics := diag.Of(err)
		if d, ok := errors.AsType[*differs](err); ok {
			diagnostics = d.diagnostics
		}
		if err = diag.Print(a.stdout, format, append(diagnostics, a.warnings...)); err == nil {
			return
		}
	}
	if list, ok := errors.AsType[diag.List](err); ok {
		err = list
	}
	fmt.Fprintln(a.stderr, "sdkgen:", err)
}

func (a *app) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sdkgen",
		Short: "Generate SDKs from the Go API types of a Kubernetes operator",
		Long: `Generate SDKs from the Go API types of a Kubernetes operator.

sdkgen.yaml in the project's root says which artifacts are wanted: deepcopy code, CRDs, OpenAPI
definitions, swagger.json, a Python SDK, a Go client and code-generator's clientset.

Exit codes: 0 done, and nothing differs; 1 verify found a difference, or an API rule is violated;
2 invalid configuration or input, or a missing tool; 130 interrupted.`,
		Example: `  sdkgen init               # write sdkgen.yaml
  sdkgen doctor             # check tools and packages
  sdkgen generate           # write what changed
  sdkgen verify             # in CI: fail if generate would change something`,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := diag.ParseFormat(a.format); err != nil && (a.format != markdown || cmd.Name() != "breaking") {
				return err
			}
			return order.CheckEngine(a.engine)
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w: `%s --help` lists the flags", err, cmd.CommandPath())
	})
	f := cmd.PersistentFlags()
	f.StringVarP(&a.dir, "dir", "C", ".", "project `directory` that holds sdkgen.yaml")
	f.StringVar(&a.config, "config", "",
		"configuration `file` in the project (default sdkgen.yaml); the lock of NAME.yaml is NAME.lock")
	f.StringVar(&a.tools, "tools", "",
		"`directory` of the jar and Java, relative to the project (default $SDKGEN_TOOLS, then .tools)")
	f.StringVar(&a.engine, "engine", "",
		"`engine` that renders the SDKs: native or openapi-generator (default sdkgen.yaml's)")
	f.StringVar(&a.format, "format", "text", "output format of diagnostics: text, json or github")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print only errors")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "print what runs")
	cmd.AddCommand(a.init(), a.generate(), a.verify(), a.rules(), a.breaking(), a.explain(), a.docs(), a.swagger(),
		a.doctor(), a.fetch(), a.version())
	return cmd
}

// inProject returns a command's RunE: it opens the project that the flags name and calls do.
func (a *app) inProject(do func(context.Context, *project.Project) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		env, err := a.environment()
		if err != nil {
			return err
		}
		project, err := project.Open(env)
		if err != nil {
			return err
		}
		if err := errors.Join(do(cmd.Context(), project), project.Close()); err != nil || a.format == string(diag.Text) ||
			printsData(cmd) {
			return err
		}
		return diag.Print(a.stdout, diag.Format(a.format), a.warnings)
	}
}

// printsData reports whether a command prints something other than diagnostics to stdout.
func printsData(cmd *cobra.Command) bool { return cmd.Name() == "swagger" || cmd.Name() == "breaking" }

// noArgs refuses arguments; every command has flags only.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	return nil
}

// environment reads what the commands need of the process's environment.
func (a *app) environment() (stage.Environment, error) {
	root, err := filepath.Abs(a.dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return stage.Environment{},
			diag.List{{Rule: "config", Message: "directory not found: " + a.dir, Hint: "-C names the project's directory"}}
	}
	return stage.Environment{
		Root: root, Dir: a.dir, Config: filepath.ToSlash(a.config), Engine: a.engine, Tools: a.tools, Environ: os.Environ(),
		TempDir: os.TempDir(), Modules: modules(), Log: a.logger(), Warn: a.warn,
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

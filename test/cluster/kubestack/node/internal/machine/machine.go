package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
)

// Run runs containerd, CoreDNS and the kubelet in the namespaces that Init has made. It returns when one of them exits.
func Run(ctx context.Context, args []string) error {
	c, err := parse("machine", args)
	if err != nil {
		return err
	}
	// runc, tar and mount are the system's.
	if err := os.Setenv("PATH", c.Runtime+":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m := &machine{Config: c, end: cancel}
	if err := m.start(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// machine is a node that runs.
type machine struct {
	Config
	end context.CancelCauseFunc
}

func (m *machine) start(ctx context.Context) error {
	if err := up("lo"); err != nil {
		return err
	}
	if err := m.writeFiles(); err != nil {
		return err
	}
	m.serve(ctx)
	if err := m.launch(ctx, filepath.Join(m.Runtime, "containerd"), "--config="+m.path("containerd.toml")); err != nil {
		return err
	}
	if err := await(ctx, "containerd", func() error { return m.ctr(ctx, "version") }); err != nil {
		return err
	}
	if err := m.load(ctx, m.ctr); err != nil {
		return err
	}
	programs, err := os.Executable()
	if err != nil {
		return err
	}
	programs = filepath.Dir(programs)
	if err := m.launch(ctx, filepath.Join(programs, "coredns"), "-conf="+m.path("Corefile")); err != nil {
		return err
	}
	if err := m.launch(ctx, filepath.Join(programs, "kubelet"), "--config="+m.path("kubelet.yaml"),
		"--kubeconfig="+m.Kubeconfig,
		"--root-dir="+m.path("kubelet"), "--cert-dir="+m.path("kubelet", "pki"), "--hostname-override="+nodeName,
		"--cloud-provider=external"); err != nil {
		return err
	}
	return m.register(ctx)
}

// up brings a network interface up.
func up(name string) error {
	link, err := netlink.LinkByName(name)
	if err == nil {
		err = netlink.LinkSetUp(link)
	}
	if err != nil {
		return fmt.Errorf("bringing the interface %s up: %w", name, err)
	}
	return nil
}

// serve connects the node's loopback address to the host: the API server's address leads to the host, and a socket
// leads to the kubelet.
func (m *machine) serve(ctx context.Context) {
	go func() {
		m.end(relay(ctx,
			route{"tcp", m.Server, "unix", m.serverSocket()},
			route{"unix", m.kubeletSocket(), "tcp", m.kubelet()}))
	}()
}

// launch starts a program with a log of its own. Its exit ends the machine.
func (m *machine) launch(ctx context.Context, program string, args ...string) error {
	name := filepath.Base(program)
	log, err := os.OpenFile(m.path(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the program has its own
	command := exec.CommandContext(ctx, program, args...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", name, err)
	}
	go func() {
		command.Wait() //nolint:errcheck // the state below says how it ended
		m.end(fmt.Errorf("%s exited: %s; its log is %s", name, command.ProcessState, log.Name()))
	}()
	return nil
}

// ctr runs containerd's client.
func (m *machine) ctr(ctx context.Context, args ...string) error {
	output, err := exec.CommandContext(ctx, filepath.Join(m.Runtime, "ctr"),
		append([]string{"--address=" + m.path(socket)}, args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ctr %s: %w\n%s", args[0], err, output)
	}
	return nil
}

// await tries until something succeeds.
func await(ctx context.Context, what string, try func() error) error {
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), fmt.Errorf("waiting for %s: %w", what, err))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

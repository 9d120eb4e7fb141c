package machine

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
)

// Proxy connects the host to the node: the kubelet's address on the host leads to the kubelet, and a socket leads to
// the API server.
func Proxy(ctx context.Context, args []string) error {
	c, err := parse("proxy", args)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return err
	}
	return relay(ctx,
		route{"unix", c.serverSocket(), "tcp", c.Server},
		route{"tcp", c.kubelet(), "unix", c.kubeletSocket()})
}

// route is an address to listen on, and the one that its connections lead to.
type route struct{ listenNetwork, listen, dialNetwork, dial string }

// relay passes connections along the routes until the context is done or a listener fails.
func relay(ctx context.Context, routes ...route) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for _, r := range routes {
		if r.listenNetwork == "unix" {
			if err := os.Remove(r.listen); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		listener, err := net.Listen(r.listenNetwork, r.listen)
		if err != nil {
			return err
		}
		context.AfterFunc(ctx, func() { listener.Close() }) //nolint:errcheck // the process ends
		go func() {
			for {
				from, err := listener.Accept()
				if err != nil {
					cancel(err)
					return
				}
				go r.join(from)
			}
		}()
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// join copies a connection to the route's other end, in both directions.
func (r route) join(from net.Conn) {
	defer from.Close() //nolint:errcheck // both directions have ended
	to, err := net.Dial(r.dialNetwork, r.dial)
	if err != nil {
		return // the client sees a closed connection, and tries again
	}
	defer to.Close() //nolint:errcheck // both directions have ended
	var both sync.WaitGroup
	both.Go(func() { pass(to, from) })
	both.Go(func() { pass(from, to) })
	both.Wait()
}

// pass copies until the source ends its direction, and ends it at the destination too.
func pass(to, from net.Conn) {
	io.Copy(to, from) //nolint:errcheck // a broken connection ends as a closed one does
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		half.CloseWrite() //nolint:errcheck // the other side has gone
	}
}

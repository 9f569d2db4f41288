package console

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"drolab/runner/box"
	"drolab/tui/cell"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// installCommand returns the command that puts this program on a box.
func installCommand(con *Console) *cobra.Command {
	var check bool
	var binary string
	c := &cobra.Command{
		Use: "install NAME", Short: "Put this program on a box, over SSH",
		Long: `Put this program on a box, as ~/.local/bin/drolab. The command says first how much is sent
and about how long that takes. It starts the new program there before that takes the place of an
older one. Runs that go on there do so with the program that they began with.

A box with another system needs a program of its own:

  GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go build -o drolab-arm64 .
  drolab box install gpu1 --binary drolab-arm64`,
		Example: "drolab box install gpu1 --check\ndrolab box install gpu1",
		Args:    One("a box", "drolab box install gpu1"),
		ValidArgsFunction: func(c *cobra.Command, args []string, begun string) ([]string,
			cobra.ShellCompDirective) {
			return con.completeBoxes(c, args, begun)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := box.CheckName(args[0]); err != nil {
				return err
			}
			return install(c.Context(), con, args[0], binary, check)
		},
	}
	c.Flags().BoolVar(&check, "check", false, "only say what is there")
	c.Flags().StringVar(&binary, "binary", "", "the program to send (default this one)")
	TakeAlone(c, "check", "binary")
	return c
}

func install(ctx context.Context, con *Console, name, binary string, check bool) error {
	by := &box.Installer{Program: con.SSH, Box: name}
	site, err := by.Look(ctx)
	if err != nil {
		return err
	}
	printSite(con, name, site)
	if check {
		return nil
	}
	own := runtime.GOOS + "/" + runtime.GOARCH
	if site.System != own && binary == "" {
		system, arch, _ := strings.Cut(site.System, "/")
		return fmt.Errorf("box %s is %s, and this program is for %s: build it with GOOS=%s "+
			"GOARCH=%s CGO_ENABLED=0 go build -o drolab-%[5]s . and give --binary drolab-%[5]s",
			name, site.System, own, system, arch)
	}
	packed, size, err := packProgram(binary)
	if err != nil {
		return err
	}
	// The new program and the packed one are never there at once, but the old one may be.
	if site.Free >= 0 && site.Free < size {
		return fmt.Errorf("box %s has no room: %s are free in its home folder, and the program "+
			"needs %s", name, megabytes(site.Free), megabytes(size))
	}
	total := int64(packed.Len())
	takes, err := by.Pace(ctx, total)
	if err != nil {
		return err
	}
	fmt.Fprintf(con.Stderr, "sending %s, which takes about %s\n", megabytes(total),
		kit.Duration(max(takes, time.Second).Round(time.Second)))
	meter := con.NewMeter("sending", megabytes)
	version, err := by.Install(ctx, &meteredReader{packed, meter, total, time.Now()})
	meter.End()
	if err != nil {
		return err
	}
	con.PrintLine("box %s: drolab %s is installed as ~/.local/bin/drolab", name, version)
	if version != Version() && binary == "" {
		con.Note("the version there differs from the one here, which is " + Version())
	}
	if site.Engine != "" {
		con.Note("the engine there goes on with the program that it was started with. Once its " +
			"runs have ended, the next ones are trained by the new program")
	}
	return nil
}

func printSite(con *Console, name string, s *box.Site) {
	there := "no drolab"
	if s.Path != "" {
		there = fmt.Sprintf("drolab %s in %s", s.Version, s.Path)
	}
	free := ""
	if s.Free >= 0 {
		free = ", " + megabytes(s.Free) + " free"
	}
	con.PrintLine("box %s: %s%s, %s", name, s.System, free, there)
	if s.Engine != "" {
		con.PrintLine("box %s: %s", name, s.Engine)
	}
}

// packProgram returns a program packed, and its size; "" is this one.
func packProgram(path string) (packed *bytes.Buffer, size int64, err error) {
	if path == "" {
		if path, err = os.Executable(); err != nil {
			return nil, 0, err
		}
		if _, err := os.Stat("/proc/self/exe"); err == nil {
			path = "/proc/self/exe" // also if an update has replaced its file
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s: expected a program", cell.OneLine(path))
	}
	packed = &bytes.Buffer{}
	return packed, info.Size(), box.Pack(packed, f)
}

// meteredReader shows how much of a buffer has been read.
type meteredReader struct {
	packed *bytes.Buffer
	meter  *Meter
	total  int64
	began  time.Time
}

// Read implements io.Reader. Its pieces are small, so that the meter moves on a slow connection.
func (r *meteredReader) Read(p []byte) (int, error) {
	const piece = 32 << 10
	n, err := r.packed.Read(p[:min(len(p), piece)])
	if err == io.EOF {
		return n, err
	}
	done := r.total - int64(r.packed.Len())
	pace := float64(time.Since(r.began)) / float64(max(done, 1))
	left := time.Duration(pace * float64(r.packed.Len()))
	r.meter.Show(done, r.total, left)
	return n, err
}

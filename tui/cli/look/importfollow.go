package look

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"drolab/runner"
	"drolab/runner/foreign"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
)

// waitForLog is the time between two looks for a log that is not there yet.
const waitForLog = time.Second

// find returns the logs at the paths. With --follow it waits for the first.
func (f *importFlags) find(ctx context.Context, con *console.Console, paths []string) (
	[]foreign.Found, error,
) {
	for told := false; ; told = true {
		found, err := foreign.Find(ctx, paths, f.as)
		if ctx.Err() != nil {
			return nil, errors.New("interrupted: nothing is imported")
		}
		unknown, none := errors.AsType[*foreign.UnknownError](err)
		absent := errors.Is(err, fs.ErrNotExist) || none && unknown.Folder
		if !f.follow || !absent {
			return found, err
		}
		if !told {
			fmt.Fprintf(con.Stderr, "waiting for a log in %s; Ctrl-C ends it\n",
				cell.OneLine(paths[0]))
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("interrupted: there was no log in %s", paths[0])
		case <-time.After(waitForLog):
		}
	}
}

// followLog makes a run of a log that another program is writing.
func (f *importFlags) followLog(
	ctx context.Context, con *console.Console, store *record.Store, found []foreign.Found,
	o *foreign.Options,
) error {
	if len(found) > 1 {
		return fmt.Errorf("--follow is for one log, and there are %d: name the folder or file of "+
			"one, such as %s", len(found), found[0].Path)
	}
	done, err := found[0].Follow(ctx, store, o, foreign.Following{Idle: f.idle,
		Started: func(m *runner.Meta) {
			if !con.AsJSON {
				con.PrintLine("%s", m.ID)
			}
			fmt.Fprintf(con.Stderr, "following %s; Ctrl-C ends it\n", cell.OneLine(found[0].Path))
		}})
	if err != nil {
		return err
	}
	runs, err := f.runs(con, []string{done.Meta.ID})
	if err != nil {
		return err
	}
	// Who finds the command gone, and not by Ctrl-C, reads here what ended it.
	fmt.Fprintf(con.Stderr, "%s: %s: %s\n", done.Meta.ID, runs[0].Status(), cell.OneLine(done.Why))
	if !con.AsJSON {
		return nil
	}
	return con.JSON(console.Summaries(runs))
}

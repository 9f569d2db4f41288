//go:build unix

package loop_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"drolab/dro"
	"drolab/runner/bridge/internal/frame"
)

// BenchmarkStep is what run.weights and run.step cost a script that has another process beside it,
// in batches of 128: the round trip, and all that drolab does in a step. Hold it against
// BenchmarkStep of runner/bridge, which is the other way round and only the round trips.
func BenchmarkStep(b *testing.B) {
	for _, method := range []dro.Algorithm{dro.ERM, dro.SFK} {
		b.Run(string(method), func(b *testing.B) {
			told, tells := pipe(b)
			said, says := pipe(b)
			c := exec.Command(self(), "loop", "--runs", b.TempDir())
			c.ExtraFiles, c.Env = []*os.File{told, says}, append(os.Environ(), "DROLAB_PIPES=3,4")
			if err := c.Start(); err != nil {
				b.Fatal(err)
			}
			defer c.Wait()
			defer tells.Close()
			told.Close()
			says.Close()
			s, err := newScript(said, tells, method)
			if err == nil {
				s.opening["settings"] = map[string]any{"method": method, "batch": 128, "epochs": 1}
				_, err = s.ask(s.opening)
			}
			if err != nil {
				b.Fatal(err)
			}
			index, losses := make([]int, 128), make([]float64, 128)
			for i := range losses {
				losses[i] = float64(i%7) / 4
			}
			arrays := []frame.Array{frame.Floats(losses), frame.Ints(index), frame.Ints(index),
				frame.Ints(index)}
			m := message("weights", "", "losses", "label", "index", "group")
			step, drawn := message("step", ""), []frame.Array{frame.Floats([]float64{.1, 1})}
			if method == dro.SFK {
				step, drawn = message("step", "", "losses"), append(drawn, arrays[0])
			}
			for b.Loop() {
				if _, err := s.ask(m, arrays...); err != nil {
					b.Fatal(err)
				}
				if err := s.tell(step, drawn...); err != nil {
					b.Fatal(err)
				}
			}
			if _, err := s.ask(map[string]any{"do": "end", "status": "done"}); err != nil {
				b.Fatal(fmt.Errorf("at the end: %w", err))
			}
		})
	}
}

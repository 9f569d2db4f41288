package engine

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"drolab/runner/bridge/testdata/client"
)

// rogue is a program whose losses are in a table, and which spoils one of its answers. Its words
// are how it does that, the question, and a seed.
type rogue struct {
	client.Table
	how, at string
	rng     *rand.Rand
	left    int          // answers to this question up to the one that it spoils
	asked   atomic.Value // the question that it answers
}

func init() {
	Acts = append(Acts, func() {
		if os.Getenv("DROLAB_PIPES") == "" {
			return
		}
		if err := runRogue(os.Args[1:]); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	})
}

// runRogue is a process of the program. Its frames pass through it on their way.
func runRogue(words []string) error {
	seed, err := strconv.ParseUint(words[2], 10, 64)
	if err != nil {
		return err
	}
	r := &rogue{Table: client.Table{Samples: 128, Width: 1}, how: words[0], at: words[1],
		rng: rand.New(rand.NewPCG(31, seed))}
	r.left = 1 + r.rng.IntN(2)
	told, tells, err := os.Pipe()
	if err != nil {
		return err
	}
	said, says, err := os.Pipe()
	if err != nil {
		return err
	}
	os.Setenv("DROLAB_PIPES", fmt.Sprintf("%d,%d", told.Fd(), says.Fd()))
	c, err := client.Pipes()
	if err != nil {
		return err
	}
	go relay(os.NewFile(3, ""), tells, r.listen)
	go relay(said, os.NewFile(4, ""), r.spoil)
	return client.Main(c, r)
}

// relay passes frames on, each through change. At the end of from it closes to.
func relay(from, to *os.File, change func(frame []byte, to io.Writer) []byte) {
	defer to.Close()
	for {
		frame := make([]byte, 12)
		if _, err := io.ReadFull(from, frame); err != nil {
			return
		}
		head, body := lengthsOf(frame)
		frame = append(frame, make([]byte, head+body)...)
		if _, err := io.ReadFull(from, frame[12:]); err != nil {
			return
		}
		if _, err := to.Write(change(frame, to)); err != nil {
			return
		}
	}
}

func lengthsOf(frame []byte) (head, body int) {
	return int(binary.LittleEndian.Uint32(frame)), int(binary.LittleEndian.Uint32(frame[4:]))
}

// frame returns the beginning of a frame: its lengths, and as much of its head as there is.
func frame(head string, headBytes, bodyBytes uint32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, headBytes)
	b = binary.LittleEndian.AppendUint32(b, bodyBytes)
	return append(append(b, "dro1"...), head...)
}

// listen notes which question comes.
func (r *rogue) listen(frame []byte, _ io.Writer) []byte {
	var q struct{ Do, Purpose string }
	head, _ := lengthsOf(frame)
	if json.Unmarshal(frame[12:12+head], &q) == nil {
		if q.Do == "hello" {
			q.Do += "-" + q.Purpose
			r.left = 1 // it comes once
		}
		r.asked.Store(q.Do)
	}
	return frame
}

// spoil changes the answer that is to be spoiled, or does not return.
func (r *rogue) spoil(answer []byte, to io.Writer) []byte {
	if r.asked.Load() != r.at {
		return answer
	}
	if r.left--; r.left != 0 {
		return answer
	}
	const arrays = `{"arrays":[["f8",134217728]]}`
	switch r.how {
	case "mutated":
		return mutated(r.rng, answer)
	case "short":
		return frame("{}", 2, 0)
	case "long":
		flood(to, frame(arrays, uint32(len(arrays)), 1<<30))
	case "long-head":
		flood(to, frame("", 1<<30, 0))
	case "alive":
		fmt.Println("alive")
		const head = `{"alive":true}`
		for tick := time.Tick(10 * time.Millisecond); ; <-tick {
			to.Write(frame(head, uint32(len(head)), 0))
		}
	case "silent":
		select {}
	}
	return answer
}

// mutated changes bytes of the head, of the lengths or of the body.
func mutated(rng *rand.Rand, b []byte) []byte {
	head, body := lengthsOf(b)
	from, n := 12, head
	switch rng.IntN(3) {
	case 0:
		from, n = 0, 8
	case 1:
		if body > 0 {
			from, n = 12+head, body
		}
	}
	for range 1 + rng.IntN(4) {
		b[from+rng.IntN(n)] = byte(rng.Uint32())
	}
	return b
}

// flood begins as told, and writes zeros for as long as they are read.
func flood(to io.Writer, begin []byte) {
	for b, zeros := begin, make([]byte, 1<<20); ; b = zeros {
		if _, err := to.Write(b); err != nil {
			select {}
		}
	}
}

// Save saves what takes little space and is much to pack, if that is the trouble.
func (r *rogue) Save(folder string) error {
	path := filepath.Join(folder, "all")
	err := os.WriteFile(path, []byte("weights"), 0o600)
	if r.how == "saves-much" {
		err = os.Truncate(path, 1<<40)
	}
	return err
}

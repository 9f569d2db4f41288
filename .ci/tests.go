//go:build ignore

// Tests reads the events of go test -json from standard input and prints a summary. The summary has
// a line for each package, the whole output of each failed test, and each skipped test with the
// reason on the list. It ends with the number of skipped tests. (For a package that passes, go test
// itself says nothing about skips.) A test that skips and is not on the list is a failure.
//
//	go test ./... -json | go run .ci/tests.go [-peers] .ci/skips.txt
//
// The flag -peers says that the programs that tests compare with are installed. A test that skips
// because one is missing is then a failure too.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
)

// event is a line of go test -json, as cmd/test2json documents it.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

// anyPeer is the entry on the list for all tests whose peer is missing. The messages of these tests
// begin with peerMissing (dro/peertest).
const (
	anyPeer     = "any peer"
	peerMissing = "peer missing: "
)

func main() {
	log.SetFlags(0)
	peers := flag.Bool("peers", false, "the peers are installed")
	flag.Parse()
	may, err := list(flag.Arg(0))
	if err == nil {
		err = (&reader{may: may, peers: *peers, said: map[string][]string{},
			skips: map[string]string{},
			wrong: map[string]bool{}}).read(os.Stdin)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// list reads the tests that may skip, as "PACKAGE TEST", with their reasons.
func list(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	may := map[string]string{}
	for n, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if len(words) < 3 {
			return nil, fmt.Errorf("%s:%d: expected PACKAGE TEST REASON", path, n+1)
		}
		may[words[0]+" "+words[1]] = strings.Join(words[2:], " ")
	}
	return may, nil
}

type reader struct {
	may    map[string]string
	peers  bool
	said   map[string][]string // output of tests that have not ended
	skips  map[string]string   // the reason of each test that skipped
	wrong  map[string]bool     // tests that skipped and are not on the list
	failed int
}

func (r *reader) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		text, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var e event
		if json.Unmarshal(text, &e) != nil {
			os.Stdout.Write(text) // such as output of the compiler
			continue
		}
		r.take(e)
	}
	for _, test := range slices.Sorted(maps.Keys(r.skips)) {
		fmt.Printf("skip\t%s: %s\n", test, r.skips[test])
	}
	lack := 0
	for _, reason := range r.skips {
		if reason == r.may[anyPeer] {
			lack++
		}
	}
	fmt.Printf("%d tests skipped, %d of them for the lack of a peer\n", len(r.skips), lack)
	if r.failed+len(r.wrong) > 0 {
		return fmt.Errorf("%d tests or packages failed, %d skipped that are not on the list",
			r.failed, len(r.wrong))
	}
	return nil
}

func (r *reader) take(e event) {
	test := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		if e.Test == "" && (strings.HasPrefix(e.Output, "ok ") || e.Action == "build-output") {
			fmt.Print(e.Output)
		}
		r.said[test] = append(r.said[test], e.Output)
	case "fail":
		r.failed++
		fmt.Print(strings.Join(r.said[test], ""))
		delete(r.said, test)
	case "skip":
		if e.Test != "" {
			r.skip(e.Package, e.Test, r.said[test])
		}
		delete(r.said, test)
	case "pass":
		delete(r.said, test)
	}
}

// skip records why a test skipped. An entry of the list is one case, or a whole test, and then
// stands for all its cases.
func (r *reader) skip(pkg, test string, said []string) {
	whole, _, _ := strings.Cut(test, "/")
	place := pkg + " " + test
	reason, listed := r.may[place]
	if !listed {
		place = pkg + " " + whole
		reason, listed = r.may[place]
	}
	if text := strings.Join(said, ""); strings.Contains(text, peerMissing) && !r.peers {
		reason, listed = r.may[anyPeer]
	}
	if !listed {
		frame := func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "===") }
		reason = "NOT ON THE LIST: " +
			strings.TrimSpace(strings.Join(slices.DeleteFunc(said, frame), ""))
		r.wrong[place] = true
	}
	r.skips[place] = reason
}

package record

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"drolab/dro/testsize"
)

// TestPowerCuts shuts an ext4 file system down, right after an answer, without bringing its journal
// to the disk, and mounts it again. Everything that the answers promised is there, and every run
// goes on.
func TestPowerCuts(t *testing.T) {
	cuts := 2
	if testsize.Long() {
		cuts = 24
	}
	rng := rand.New(rand.NewPCG(13, 17))
	counts := map[string]int{}
	for range cuts {
		box := t.TempDir()
		image, dir := filepath.Join(box, "image"), filepath.Join(box, "disk")
		makeDisk(t, image)
		must(t, os.Mkdir(dir, 0o700))
		mounted(t, image, dir)
		told := answersBefore(t, filepath.Join(dir, "runs"), 1+rng.IntN(6),
			func() { cutPower(t, dir) })
		must(t, exec.Command("umount", dir).Run())
		mounted(t, image, dir)
		for _, told := range told {
			counts[told[0]]++
			if err := checkAnswer(filepath.Join(dir, "runs"), told); err != nil {
				t.Errorf("%v was answered for, and is lost: %v", told, err)
			}
		}
		s, err := Open(filepath.Join(dir, "runs"))
		must(t, err)
		runs, problems := List(s.dir)
		for _, p := range problems {
			t.Error(p)
		}
		for _, run := range runs {
			r, _ := reopen(t, s, run.Meta.ID)
			must(t, r.Close())
		}
		must(t, exec.Command("umount", dir).Run())
	}
	t.Logf("%d power cuts behind %v", cuts, counts)
}

// makeDisk makes an ext4 file system in a file.
func makeDisk(t *testing.T, image string) {
	t.Helper()
	must(t, os.WriteFile(image, nil, 0o600))
	must(t, os.Truncate(image, 64<<20))
	if out, err := exec.Command("mkfs.ext4", "-q", image).CombinedOutput(); err != nil {
		t.Skipf("no ext4 can be made here: %v %s", err, out)
	}
}

func mounted(t *testing.T, image, dir string) {
	t.Helper()
	if out, err := exec.Command("mount", "-o", "loop", image, dir).CombinedOutput(); err != nil {
		t.Skipf("mounting it needs the superuser: %v %s", err, out)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
}

// cutPower is EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH.
func cutPower(t *testing.T, dir string) {
	t.Helper()
	d, err := os.Open(dir)
	must(t, err)
	defer d.Close()
	const shutdown, withoutLog = 0x8004587d, 2
	must(t, unix.IoctlSetPointerInt(int(d.Fd()), shutdown, withoutLog))
}

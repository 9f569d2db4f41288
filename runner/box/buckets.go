package box

import (
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"slices"
)

// Both sides sort the runs that they have into buckets. A bucket whose hash is the same on both
// sides has the same runs in the same versions, and costs no more than its hash: a thousand
// unchanged runs cost 4 kB.
const bucketCount = 256

// hashBytes is the length of the hash of a bucket.
const hashBytes = 6

// bucketOf returns the bucket of a run.
func bucketOf(id string) int {
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(h.Sum32() % bucketCount)
}

// hashBuckets returns the hash of each bucket of runs, given their versions; "" for an empty one.
func hashBuckets(versions map[string]string) []string {
	var ids [bucketCount][]string
	for id := range versions {
		b := bucketOf(id)
		ids[b] = append(ids[b], id)
	}
	hashes := make([]string, bucketCount)
	for b := range ids {
		if len(ids[b]) == 0 {
			continue
		}
		slices.Sort(ids[b])
		sum := sha256.New()
		for _, id := range ids[b] {
			fmt.Fprintf(sum, "%s %s\n", id, versions[id])
		}
		hashes[b] = fmt.Sprintf("%x", sum.Sum(nil)[:hashBytes])
	}
	return hashes
}

// differing returns the runs of the buckets whose hashes differ from the other side's, in parts
// that fit into a frame.
func differing(mine map[string]string, theirs []string) (parts []*versions) {
	const mostRuns = 2000 // in a part, unless one bucket has more
	var ids [bucketCount][]string
	for id := range mine {
		b := bucketOf(id)
		ids[b] = append(ids[b], id)
	}
	part := &versions{Runs: map[string]string{}}
	for b, hash := range hashBuckets(mine) {
		if b < len(theirs) && theirs[b] == hash {
			continue
		}
		if len(part.Runs) > 0 && len(part.Runs)+len(ids[b]) > mostRuns {
			parts = append(parts, part)
			part = &versions{Runs: map[string]string{}}
		}
		part.Buckets = append(part.Buckets, b)
		for _, id := range ids[b] {
			part.Runs[id] = mine[id]
		}
	}
	if len(part.Buckets) > 0 {
		parts = append(parts, part)
	}
	return parts
}

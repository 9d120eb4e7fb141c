// Package artifact holds generated files and is the only code of the toolchain
// that writes the user's repository.
//
// # Sequence
//
//	release, err := Acquire(cacheDir, rootDir)         // one run at a time
//	old, err := ReadLock(root)                         // what the last run wrote
//	set, clean, err := old.StageClean(root, s)         // a stage whose key still matches may be skipped …
//	err = all.Put(File{…}), all.Merge(set)             // … or run; every stage fills a Set in memory
//	plan, err := NewPlan(root, old, &all, keys, opts)  // compares with the disk, writes nothing
//	err = Unified(w, plan.Changes())                   // verify stops here
//	err = Commit(ctx, root, plan)                      // generate writes
//
// verify and generate share everything up to the plan, so they cannot disagree.
//
// [Replace] writes a single file of the user's that a command rewrites on request.
//
// # Ownership
//
// sdkgen.lock lists every generated file. A path it lists is sdkgen's: it may
// be overwritten and, when the new set lacks it, deleted. Any other path is the
// user's: it is never deleted, and it is overwritten only with Options.Adopt.
// Symbolic links are never written through, neither as a file nor as a directory
// on the way to one; all access goes through [os.Root].
//
// # Commit
//
// Commit keeps one invariant at every moment, so that a kill -9 anywhere can be
// repaired by the next run: each file has its old or its new bytes, and each
// generated file that is on disk is listed by the sdkgen.lock on disk.
//
//  1. leftovers (.NAME.sdkgen-tmp) of a killed run are swept from the directories of
//     the old lock and of the plan;
//  2. if paths are added, an interim lock is written that lists the old and
//     the new paths and has no key for the stages of this run, so none of them
//     can pass for clean until the final lock is there;
//  3. files that stand where a directory must go, and the reverse, are deleted;
//  4. all new bytes are written to temporary files beside their targets and
//     synced: a full disk or a read-only directory shows here, while nothing is
//     replaced yet, and the tree is put back as it was;
//  5. the temporary files are renamed over their targets;
//  6. orphans are deleted, then directories that this left empty;
//  7. directories are synced and the final lock is written, last.
package artifact

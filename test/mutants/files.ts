import { type Mutant, ofGuarantee } from './mutant.ts'

const CRAFTED = 'test/attacks/crafted-files.test.ts'
const SHARED = 'test/attacks/shared-pages.test.ts'
const DYING = 'test/attacks/dying-checks.test.ts'
const HARD_LINKS = 'test/attacks/hard-links.test.ts'
const MOVED_FILES = 'test/attacks/moved-files.test.ts'
const SECOND_OPENING = 'test/attacks/second-opening.test.ts'

/** Breaks of what is promised about a memory's file. */
export const FILES: readonly Mutant[] = [
  ...ofGuarantee(
    'A file is not believed',
    [
      'a file with a second name is not opened',
      'src/sqlite/file/one-name.ts',
      'stats.nlink > 1',
      'stats.nlink > 2',
      HARD_LINKS,
    ],
    [
      'a page that is used twice is found',
      'src/sqlite/file/bytes/trees.ts',
      'if (reached[child] === 1) throw',
      'if (reached[child] === 2) throw',
      SHARED,
    ],
    [
      'a file that is new on this machine is read as a whole',
      'src/sqlite/file/sound-pages.ts',
      'trapIn(pages, schema, { isWhole: !isKnown })',
      'trapIn(pages, schema, { isWhole: isKnown })',
      SHARED,
    ],
    [
      'a file at which the checking process dies is refused',
      'src/sqlite/maintenance/check-file.ts',
      "if (answer === 'died') throw died(check.path)",
      "if (answer === 'died') return checkHere(check)",
      DYING,
    ],
    [
      'a schema that elfmem did not make is refused',
      'src/sqlite/file/expected-schema.ts',
      'if (known === undefined) said.push',
      'if (known === undefined && said.length > 9) said.push',
      CRAFTED,
    ],
    [
      'the log of another memory is not replayed',
      'src/sqlite/file/belonging.ts',
      'if (after?.id !== before.id) return false',
      'if (after?.id !== before.id) return true',
      CRAFTED,
    ],
    [
      'a foreign log is not moved into the file',
      'src/sqlite/file/look-before-opening.ts',
      'logged({ alone, frames, together })',
      '',
      CRAFTED,
    ],
    [
      'a file with texts in UTF-16 is refused',
      'src/sqlite/file/look-before-opening.ts',
      `if (encoding !== 'utf-8')`,
      `if (encoding !== 'utf-8' && newest < 0)`,
      CRAFTED,
    ],
    [
      'looking at a file takes no lock from another store',
      'src/sqlite/file/descriptors.ts',
      'if (entry === undefined) closeSync(file)',
      'if (entry === undefined || entry.stores > 0) closeSync(file)',
      CRAFTED,
    ],
    [
      'what is rescued passes the checks of an import',
      'src/opening/rescue-file.ts',
      '{ path: lines, trusted }',
      '{ path: lines, trusted: trusted || lines.length > 0 }',
      'test/attacks/rescue.test.ts',
    ],
  ),
  ...ofGuarantee(
    'A file is not believed',
    [
      'nothing is written beside a backup',
      'src/sqlite/maintenance/take-copy.ts',
      '-wal`) && existsSync(',
      '-wal`) || existsSync(path) || existsSync(',
      'test/attacks/restore-foreign.test.ts',
    ],
    [
      'a refused restore leaves no backup',
      'src/sqlite/maintenance/restore-backup.ts',
      'if (safety !== undefined && !isReplaced)',
      'if (safety !== undefined && isReplaced)',
      'test/faults/restore-steps.test.ts',
    ],
  ),
  ...ofGuarantee(
    'Nothing is acknowledged that is not kept',
    [
      'a store notices that its file is another one',
      'src/sqlite/file/identity.ts',
      'if (!isSame(stats, this.#main)) throw',
      'if (!isSame(stats, stats)) throw',
      MOVED_FILES,
    ],
    [
      'a store notices that its log was cut',
      'src/sqlite/file/log-watch.ts',
      'each === this.#doubted[i])) return false',
      'each === this.#doubted[i])) return true',
      MOVED_FILES,
    ],
    [
      'a store looks at its log before it acknowledges',
      'src/sqlite/sqlite-database.ts',
      'this.#identity?.mustBeReadable()',
      '',
      MOVED_FILES,
    ],
    [
      'a file that was written over is not written to',
      'src/sqlite/sqlite-database.ts',
      'if (!mayWrite) connections.reverse()',
      'if (mayWrite) connections.reverse()',
      MOVED_FILES,
    ],
    [
      'a memory that lost its log is not opened again by its process',
      'src/sqlite/file/look-before-opening.ts',
      'if (files[0] !== undefined) lookAtHeld(files[0])',
      '',
      SECOND_OPENING,
    ],
  ),
  ...ofGuarantee('An argument has an end', [
    'no device is read',
    'src/surfaces/cli/read-input.ts',
    'if (!found.isFile() && !isOfThisProcess(path)) throw unfit(path, kindOf(found))',
    'if (found.isFIFO()) throw unfit(path, kindOf(found))',
    'test/attacks/endless-inputs.test.ts',
  ]),
  ...ofGuarantee('Compiled code is kept where the code is', [
    'no folder of all users gives code',
    'src/bin.ts',
    'module.enableCompileCache?.(cache)',
    'module.enableCompileCache?.()',
    'test/attacks/compiled-code.test.ts',
  ]),
  ...ofGuarantee('Time is what passed', [
    'no wall clock makes hours of minutes',
    'src/domain/score/experience.ts',
    'const room = Math.max(0, mostHours - state.hours)',
    'const room = Math.max(counted, mostHours - state.hours)',
    'test/attacks/skewed-clocks.test.ts',
  ]),
  ...ofGuarantee('A command can be ended', [
    'the process of a check ends with its parent',
    'src/sqlite/maintenance/check-child.ts',
    `process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))`,
    `process.once('disconnect', () => process.pid)`,
    'test/attacks/signals.slow.test.ts',
  ]),
]

import { type Mutant, ofGuarantee } from './mutant.ts'

const CRAFTED = 'test/attacks/crafted-files.test.ts'
const MOVED_FILES = 'test/attacks/moved-files.test.ts'

/** Breaks of what is promised about a memory's file. */
export const FILES: readonly Mutant[] = [
  ...ofGuarantee(
    'A file is not believed',
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
    'Nothing is acknowledged that is not kept',
    [
      'a store notices that its file is another one',
      'src/sqlite/file/identity.ts',
      'if (!isSame(stats, this.#main)) throw',
      'if (!isSame(stats, stats)) throw',
      MOVED_FILES,
    ],
    [
      'a file that was written over is not written to',
      'src/sqlite/sqlite-database.ts',
      'if (!mayWrite) connections.reverse()',
      'if (mayWrite) connections.reverse()',
      MOVED_FILES,
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
    'test/attacks/signals.test.ts',
  ]),
]

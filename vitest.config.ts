import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/helpers/longest-first.ts'
import { hasPostgres } from './test/helpers/postgres.ts'
import { Progress } from './test/helpers/progress.ts'

// Tests start hundreds of processes from TypeScript sources, and each of them finds what the one before compiled.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/tests')

/** The long run looks at other cases each time; its reporter prints this number. */
const seed = process.env.FC_SEED ?? String(Math.floor(Math.random() * 2 ** 31))

/** Journeys through the built page of the dashboard in a browser. */
const BROWSER = 'test/dashboard/e2e/**/*.slow.test.ts'

/** Suites of the other projects that the long run repeats with more rounds, more seconds and another seed. */
const AT_LENGTH = [
  'test/faults/fault-walk.slow.test.ts',
  'test/faults/*kill*.slow.test.ts',
  'test/postgres/kill.slow.test.ts',
  'test/files/damaged.test.ts',
  'test/fuzz/fuzz.test.ts',
]

/** Stories that look into the file of a memory, or wait for work by turns of the event loop. */
const OF_A_FILE = [
  ...[
    'dream/at-rest',
    'inspect/status',
    'outcome/questions',
    'recall/recall',
    'recall/use',
    'recall/waiting',
  ],
  ...['remember/said-again', 'review/proposals', 'review/watch', 'secrets/secrets', 'sessions/turns'],
  ...['settings/doctor-file', 'settings/settings', 'transfer/backup', 'transfer/export', 'undo/limits'],
  'undo/undo',
].map((story) => `test/story/${story}.test.ts`)

/** The stories over PostgreSQL in place of a file; there are none without a server. */
const STORIES_OVER_POSTGRES = {
  extends: true,
  test: {
    name: 'postgres',
    include: ['test/story/**/*.test.ts'],
    exclude: OF_A_FILE,
    testTimeout: 120_000,
    isolate: false,
    env: { ELFMEM_TEST_STORE: 'postgres' },
  },
}

export default defineConfig({
  test: {
    reporters: ['default', new Progress(seed)],
    sequence: { sequencer: LongestFirst },
    // The default would leave one of two cores idle.
    maxWorkers: '100%',
    setupFiles: ['test/helpers/properties.ts'],
    // Node loads the sources itself, as it does for everybody who runs them; Vite's own way takes half as long again.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/*.slow.test.ts', '**/*.long.test.ts', 'node_modules/**'],
          testTimeout: 120_000,
          // Files of one worker share their modules, which saves a quarter of the time. So no test may change what a module
          // keeps, and what it changes of the process it puts back.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/**/*.slow.test.ts'],
          exclude: [BROWSER],
          testTimeout: 600_000,
          hookTimeout: 300_000,
          env: { FAULT_ROUNDS: process.env.FAULT_ROUNDS ?? '24' },
        },
      },
      ...(hasPostgres ? [STORIES_OVER_POSTGRES] : []),
      {
        extends: true,
        test: {
          name: 'browser',
          include: [BROWSER],
          globalSetup: ['test/dashboard/e2e/build-page.ts'],
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: ['test/**/*.long.test.ts', ...AT_LENGTH],
          testTimeout: 3_600_000,
          hookTimeout: 300_000,
          // Some of these suites measure time, so nothing runs beside them.
          fileParallelism: false,
          env: {
            FC_SEED: seed,
            FAULT_SEED: seed,
            FAULT_ROUNDS: process.env.FAULT_ROUNDS ?? '1000',
            FAULT_STATEMENTS: process.env.FAULT_STATEMENTS ?? '1000',
            FUZZ_SECONDS: process.env.FUZZ_SECONDS ?? '20',
          },
        },
      },
    ],
  },
})

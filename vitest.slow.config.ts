import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/helpers/longest-first.ts'
import { native } from './vitest.config.ts'

/** Suites that measure time: nothing runs beside them. */
export const TIMED = [
  'test/attacks/growth.slow.test.ts',
  'test/secrets/growth.slow.test.ts',
  'test/surfaces/mcp-ping.slow.test.ts',
]

/** Suites that drive the built page of the dashboard in a browser. */
const BROWSER = 'test/dashboard/e2e/**/*.slow.test.ts'

const common = { testTimeout: 600_000, hookTimeout: 300_000, experimental: native }

/** Suites that kill processes, fill stores or embed thousands of texts. `.ci/run` runs them too. */
export default defineConfig({
  test: {
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'slow',
          include: ['test/**/*.slow.test.ts'],
          exclude: [...TIMED, BROWSER],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: 'browser',
          include: [BROWSER],
          globalSetup: ['test/dashboard/e2e/build-page.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: 'timed',
          include: TIMED,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})

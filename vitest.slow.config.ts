import { defineConfig } from 'vitest/config'

/** Suites that kill processes, fill stores or embed thousands of texts. `.ci/run` runs them too. */
export default defineConfig({
  test: { include: ['test/**/*.slow.test.ts'], testTimeout: 300_000, hookTimeout: 300_000 },
})

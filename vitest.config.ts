import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/*.slow.test.ts', 'node_modules/**'],
    setupFiles: ['test/helpers/properties.ts'],
    testTimeout: 120_000,
    // The default leaves one of two cores to nobody.
    maxWorkers: '100%',
    // Files of one worker share their modules: loading them anew for each took a quarter of the time. So no test may
    // change what a module keeps, and what it changes of the process it puts back.
    isolate: false,
  },
})

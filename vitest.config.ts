import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/*.slow.test.ts', 'node_modules/**'],
    setupFiles: ['test/helpers/properties.ts'],
    testTimeout: 120_000,
    // The default leaves one of two cores to nobody.
    maxWorkers: '100%',
  },
})

import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/helpers/longest-first.ts'

// Tests start hundreds of processes from TypeScript sources. What one of them stripped and compiled the next one finds.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/tests')

/**
 * Node loads the sources itself, as it does for everyone who runs them: Vite's own way takes half of the time again. Before 24
 * it does not know all of their syntax.
 */
export const native = { viteModuleRunner: Number.parseInt(process.versions.node, 10) < 24, nodeLoader: false }

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/*.slow.test.ts', 'node_modules/**'],
    setupFiles: ['test/helpers/properties.ts'],
    testTimeout: 120_000,
    experimental: native,
    sequence: { sequencer: LongestFirst },
    // The default leaves one of two cores to nobody.
    maxWorkers: '100%',
    // Files of one worker share their modules: loading them anew for each took a quarter of the time. So no test may
    // change what a module keeps, and what it changes of the process it puts back.
    isolate: false,
  },
})

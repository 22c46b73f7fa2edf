import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/** Builds the page once before all suites. */
export function setup(): void {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  // Users get the production build.
  const env = { ...process.env, NODE_ENV: 'production' }
  execFileSync(process.execPath, [vite, 'build', '--config', 'dashboard/vite.config.ts'], { cwd: root, env })
}

#!/usr/bin/env node
import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  // What was typed is not repeated: it may hold what a terminal or a shell obeys.
  const way = 'npx -p node@24 -p elfmem elfmem, and then what you typed behind elfmem'
  console.error(`elfmem needs Node 22.18 or newer and this is ${process.versions.node}. This works: ${way}`)
  process.exit(1)
}
silenceSqliteWarning()
void start()

/** Runs the command. It is no top-level `await`, because the bundler then makes one more file of each module loaded later. */
async function start(): Promise<void> {
  await prepareLoading()
  const { runFromProcess } = await import('./surfaces/cli/process.ts')
  await runFromProcess()
}

/** node:sqlite announces itself as experimental on every start; everything else it has to say is shown. */
function silenceSqliteWarning(): void {
  const emit = process.emitWarning.bind(process) as (...args: unknown[]) => void
  process.emitWarning = (...args: unknown[]) => {
    if (!/SQLite is an experimental feature/.test(String(args[0]))) emit(...args)
  }
}

/**
 * Where compiled code is kept: beside our own, so that whoever could change the one could change the other. Node's own
 * choice, a folder of all users, would let whoever makes it first give us code. Undefined if what we lie in is not ours.
 */
function compileCacheFolder(): string | undefined {
  const folder = dirname(import.meta.dirname)
  const isOurs = process.platform === 'win32' || lstatSync(folder).uid === process.getuid?.()
  return isOurs ? join(folder, 'node_modules', '.cache', 'elfmem') : undefined
}

/** Makes a one-shot command start in half the time: keeps code compiled and loads none that never runs. */
async function prepareLoading(): Promise<void> {
  const { default: module } = await import('node:module')
  const cache = compileCacheFolder()
  if (cache !== undefined) module.enableCompileCache?.(cache)
  // zod loads its messages in fifty languages; only the English ones are ever shown.
  const hooks = module.registerHooks?.({
    resolve: (specifier, context, next) =>
      next(specifier === '../locales/index.js' ? '../locales/en.js' : specifier, context),
  })
  const { config } = await import('zod')
  hooks?.deregister()
  // Compiling a parser for each schema pays only for those that run many times.
  config({ jitless: true })
}

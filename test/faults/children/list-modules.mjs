// Loaded before anything else: tells at the end which modules were asked for, one on a line of standard error.
import { registerHooks } from 'node:module'

const urls = new Set()
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    urls.add(resolved.url)
    return resolved
  },
})
process.once('exit', () => process.stderr.write([...urls].join('\n')))

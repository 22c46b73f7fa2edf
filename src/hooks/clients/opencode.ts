import type { HookClient } from '../event.ts'
import { toolEvent } from './claude-code.ts'

/** opencode, by the plugin of this package, which names things as elfmem does. */
export const opencode: HookClient = {
  name: 'opencode',
  role: (fields) => (fields.text('role') === 'system' ? 'system' : 'user'),
  read(fields) {
    const session = fields.text('session')
    switch (fields.text('event')) {
      case 'prompt':
        return { session, kind: 'prompt', text: fields.text('prompt') }
      case 'acted':
        return toolEvent(session, fields, !fields.has('failed'))
      case 'pause':
        return { session, kind: 'pause', last: fields.text('last') }
      case 'compact':
        return { session, kind: 'compact' }
      default:
        return undefined
    }
  },
  answer: (_fields, context) => ({ context }),
}

import type { Tell } from '../http/app.ts'

/** The words that a page reads: `error` is the code. */
export const tellPage: Tell = ({ code, message, recovery }) => ({
  ...{ error: code, message },
  ...(recovery === undefined ? {} : { recovery }),
})

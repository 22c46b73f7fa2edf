import { test } from 'vitest'
import { SHORT } from './bound.ts'
import { SUITES } from './suites.ts'

test.each(SUITES)('$title', ({ run }) => run(SHORT))

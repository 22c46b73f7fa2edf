import { type Mutant, ofGuarantee } from './mutant.ts'

const FLOW = 'src/flow/import-from'
const HOSTILE = 'test/imports/hostile.test.ts'
const ONCE = 'test/imports/once-and-back.test.ts'

/** Breaks of what is promised about files that other programs wrote. */
export const IMPORTS: readonly Mutant[] = [
  ...ofGuarantee(
    'Files of other programs are only read',
    [
      'words of a file are nobody’s own',
      `${FLOW}/prepare.ts`,
      "  if (!trusted) return 'import'\n",
      '',
      HOSTILE,
    ],
    [
      'a file brings a few reports',
      `${FLOW}/prepare.ts`,
      'trusted ? EVIDENCE_MOST.trusted : EVIDENCE_MOST.untrusted',
      'trusted ? EVIDENCE_MOST.untrusted : EVIDENCE_MOST.trusted',
      HOSTILE,
    ],
    [
      'a file joins nothing that was here before',
      `${FLOW}/join.ts`,
      'else if (!trusted && !both.every(',
      'else if (trusted && !both.every(',
      ONCE,
    ],
  ),
]

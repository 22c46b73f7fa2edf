import { stemmer } from '@orama/stemmers/dutch'
import type { LanguageData } from '../pack.ts'

export const DUTCH: LanguageData = {
  id: 'dutch-1',
  stem: stemmer,
  stopWords:
    'aan al als bij dan dat de der deze die dit doen door een en er ge geen had heb hebben heeft hem het hij hoe hun ik in is ja je ' +
    'kan kon maar me met mij mijn na naar niet nog nu of om omdat ons onze ook op over te tot u uit van veel voor waar waarom ' +
    'wanneer waren was wat we wel welk welke werd wie wij wordt zal ze zich zij zijn zo zonder zou',
  months: 'januari februari maart april mei juni juli augustus september oktober november december',
  timeWords:
    'gisteren eergisteren vandaag morgen overmorgen vorige vorig afgelopen volgende volgend geleden sinds onlangs maandag dinsdag ' +
    'woensdag donderdag vrijdag zaterdag zondag weekend dagen week weken maand maanden jaar jaren',
  whenStarts: ['wanneer', 'sinds wanneer', 'tot wanneer', 'hoe lang', 'hoelang'],
  whenPhrases: [
    'op welke dag',
    'op welke datum',
    'welke datum',
    'in welke maand',
    'in welk jaar',
    'in welke week',
    'hoe laat',
    'hoeveel dagen',
    'hoeveel weken',
    'hoeveel maanden',
    'hoeveel jaar',
  ],
  and: 'en',
  both: 'beide beiden allebei',
}

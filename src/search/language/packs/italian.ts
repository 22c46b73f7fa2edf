import { stemmer } from '@orama/stemmers/italian'
import type { LanguageData } from '../pack.ts'

export const ITALIAN: LanguageData = {
  id: 'italian-1',
  stem: stemmer,
  stopWords:
    'a ad ai al alla alle allo anche c che chi ci come con cosa cui d da dagli dai dal dalla dalle dei del della delle dello di dove e ' +
    'è ed era erano essere fra gli ha hai hanno ho i il in io l la le lei li lo loro lui ma mi mia mie mio ne nei nel nella nelle ' +
    'noi non nostra nostro o per perché più quale quali quando quello questa queste questi questo s se sei si sia sono su sua sue ' +
    'sui sul sulla suo te ti tra tu tua tuo un una uno vi voi',
  months: 'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
  timeWords:
    'ieri oggi domani scorso scorsa scorsi scorse prossimo prossima fa recentemente lunedì martedì mercoledì giovedì venerdì sabato ' +
    'domenica settimana settimane mese mesi anno anni giorni',
  whenStarts: ['quando', 'da quando', 'fino a quando', 'quanto tempo', 'da quanto tempo'],
  whenPhrases: [
    'in che data',
    'che data',
    'che giorno',
    'quale giorno',
    'che mese',
    'quale mese',
    'che anno',
    'quale anno',
    'a che ora',
    'quanti giorni',
    'quante settimane',
    'quanti mesi',
    'quanti anni',
  ],
  and: 'e',
  both: 'entrambi entrambe',
}

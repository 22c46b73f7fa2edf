import { stemmer } from '@orama/stemmers/portuguese'
import type { LanguageData } from '../pack.ts'

export const PORTUGUESE: LanguageData = {
  id: 'portuguese-1',
  stem: stemmer,
  stopWords:
    'a à ao aos as às até com como da das de dela dele do dos e é ela elas ele eles em entre era essa esse esta está estão este eu ' +
    'foi foram há isso isto já lhe mais mas me mesmo meu minha muito na não nas nem no nos nós nossa nosso num numa o onde os ou ' +
    'para pela pelas pelo pelos por porque qual quais quando que quê quem se sem ser seu seus só sua suas também te tem teu tua um ' +
    'uma umas uns você vocês',
  months: 'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
  timeWords:
    'ontem anteontem hoje amanhã passado passada próximo próxima desde recentemente atrás segunda terça quarta quinta sexta sábado ' +
    'domingo semana semanas mês meses ano anos dias',
  whenStarts: ['quando', 'desde quando', 'até quando', 'quanto tempo', 'há quanto tempo'],
  whenPhrases: [
    'em que data',
    'que data',
    'que dia',
    'que mês',
    'que ano',
    'que semana',
    'a que horas',
    'quantos dias',
    'quantas semanas',
    'quantos meses',
    'quantos anos',
  ],
  and: 'e',
  both: 'ambos ambas',
}

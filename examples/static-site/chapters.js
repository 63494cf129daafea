// Stands for the Markdown files of your own site: chapters of some sections, made up but always the
// same.

const CHAPTERS = 300;
const SECTIONS = 10;
const WORDS = 'task queue order turn timer signal abort priority yield loop idle wait'.split(' ');

// Some words, a few of them marked up.
function paragraph(seed) {
  let number = seed + 1;
  const words = Array.from({ length: 40 }, () => {
    number = (number * 48_271) % 2_147_483_647;
    const word = WORDS[number % WORDS.length];
    return number % 7 === 0 ? `**${word}**` : number % 11 === 0 ? `\`${word}\`` : word;
  });
  return `${words.join(' ')}.`;
}

function section(seed) {
  const items = [1, 2, 3].map((item) => `- ${paragraph(seed + item)}`);
  return `## Section ${seed % SECTIONS + 1}\n\n${paragraph(seed)}\n\n${items.join('\n')}\n`;
}

export const chapters = Array.from({ length: CHAPTERS }, (_, chapter) => ({
  file: `chapter-${chapter + 1}.html`,
  title: `Chapter ${chapter + 1}`,
  sections: Array.from({ length: SECTIONS }, (__, part) => section(chapter * SECTIONS + part)),
}));

"""What the sections of an article are called, in the languages that articles are written in."""

from __future__ import annotations

import re

_SECTION_NAMES = (
    "introduction|background|(?:materials?|patients?|subjects?) and methods|methods?|methodology|"
    "experimental(?: section| procedures)?|results?(?: and discussion)?|discussion|conclusions?|concluding remarks|"
    "case (?:report|presentation|description)|findings|related work|evaluation|data and methods|theory|model|"
    # German, French, Spanish, Portuguese, Italian
    "einleitung|hintergrund|(?:material(?:ien)? und )?methode[nk]?|methodik|ergebnisse|diskussion|schlussfolgerung(?:en)?|fazit|"
    "kasuistik|fallbericht|"
    "contexte|(?:matériels?|matériaux|patients) et méthodes?|méthodes?|résultats(?: et discussion)?|"
    "introducción|antecedentes|(?:materiales?|pacientes) y métodos?|métodos?|metodología|resultados?(?: y discusión| e discussão)?|"
    "discusión|conclusi[óo]n(?:es)?|caso clínico|introdução|(?:materia(?:l|is)|pacientes) e métodos?|metodologia|discussão|"
    "conclus(?:ão|ões)|considerações finais|relato (?:de|do) caso|introduzione|materiali e metodi|metodi|risultati|discussione|conclusioni|"
    # Polish, Russian, Ukrainian, Turkish, Indonesian, Arabic, Persian
    "wstęp|wprowadzenie|materiały? i metody|metody|wyniki|dyskusja|wnioski|"
    "введение|материалы? и методы(?: исследования)?|методы(?: исследования)?|методика|результаты(?: и (?:их )?обсуждение)?|обсуждение|"
    "заключение|выводы|вступ|матеріали (?:та|і) методи|результати(?: та обговорення)?|обговорення|висновки|"
    "giriş|(?:gereç|materyal|yöntem) ve (?:yöntem|metot|gereç)(?:ler)?|yöntem|bulgular|tartışma|sonuç(?:lar)?|"
    "pendahuluan|metode(?: penelitian)?|hasil(?: dan pembahasan)?|pembahasan|kesimpulan|"
    "(?:ال)?مقدمة|المواد والطرق|منهجية البحث|النتائج|(?:ال)?مناقشة|الخاتمة|مقدمه|روش ?ها|یافته ?ها|نتایج|بحث|نتیجه ?گیری|"
    # Chinese, Japanese, Korean
    "引言|前言|绪论|緒論|(?:材料|资料|資料|对象)(?:与|和|與)方法|(?:研究)?方法|(?:研究|实验|實驗)?(?:结果|結果)(?:与讨论|与分析|與討論)?|(?:讨论|討論)|"
    "(?:结论|結論)|结语|病例(?:报告|资料|介绍)|はじめに|緒言|序論|(?:対象と|材料と|研究|実験)?方法|結果と考察|考察|おわりに|まとめ|症例(?:報告|提示)?|"
    "서론|(?:연구 ?|재료 및 )?방법|(?:연구 ?)?결과|고찰|논의|결론"
)
SECTION = re.compile(
    rf"^\W*+(?:(?:(?!introduction)[\dIVX]\.?)*+|[一二三四五六七八九十]{{1,2}}[、.])\W*+({_SECTION_NAMES})\W*+$",
    re.IGNORECASE,
)
"""A heading that is the name of a section and nothing else, with its number; the name is group 1."""

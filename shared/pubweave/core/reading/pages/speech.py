"""The words of walls, logins and errors, and whether a title is nothing but such words.

An article may be about error correction, DDoS attacks or what was not found in controls. So a word tells nothing; a
title or heading tells something only if all of it is what servers say, as in "The requested page was not found".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Speech = Literal["bot-wall", "login", "consent-wall", "soft-404", "error"]

LONGEST_SPEECH = 160
"""Characters; servers are brief."""

_PIECES = re.compile(r"\s[|•·–—:»>/-]{1,2}\s|[|»•·]")
"""What sets a page's own title off from that of its site. A colon or full stop is within a title."""
_WORD = re.compile(r"[\w'’.-]+")

# What makes a piece of a title the speech of one kind; the first that fits.
_KEYS: tuple[tuple[Speech, re.Pattern[str]], ...] = (
    (
        "bot-wall",
        re.compile(
            r"just a moment|attention required|access denied|access to this page has been denied|^blocked$|"
            r"pardon our interruption|(?:are|re) (?:you )?(?:not )?a (?:robot|human|bot)\b|"
            r"(?:checking|verifying) your browser|security (?:check|verification)|site verification|robot check|"
            r"verif(?:y|ying) (?:that )?you are (?:a )?human|human verification|verification required|"
            r"wait for verification|please wait|request unsuccessful|ddos protection|"
            r"bot (?:detection|verification|manager)|captcha|radware|you are being redirected|preparing to download|"
            r"ip (?:address )?(?:has been |is |was )?blocked|unusual (?:traffic|activity)|verify you|access to this page is blocked",
            re.IGNORECASE,
        ),
    ),
    (
        "login",
        re.compile(
            r"sign[ -]?in\b|log[ -]?in\b|\blogin\b|\blogon\b|single sign[ -]on|shibboleth|"
            r"(?:find|select) your institution|authentication required|access through your institution",
            re.IGNORECASE,
        ),
    ),
    (
        "consent-wall",
        re.compile(
            r"before you continue|your privacy|cookie (?:consent|settings|policy|preferences)|^consent$|"
            r"cookies? (?:are |is )?(?:required|disabled|absent)|accept cookies|cookie absent",
            re.IGNORECASE,
        ),
    ),
    (
        "soft-404",
        re.compile(
            r"\b404\b|not[ -]found|(?:does|do) not exist|doesn.t exist|no longer (?:available|exists)|"
            r"can(?:not|.t| not) (?:be )?(?:find|found)|could(?:n.t| not) (?:be )?(?:find|found)|page (?:is )?missing|"
            r"nothing (?:was )?found|invalid (?:doi|article|url|identifier)|seite nicht gefunden|page introuvable",
            re.IGNORECASE,
        ),
    ),
    (
        "error",
        re.compile(
            r"\berror\b|\boops\b|\bsorry\b|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|"
            r"maintenance\b|bad request|\bforbidden\b|temporarily unavailable|went wrong|unauthori[sz]ed|"
            r"too many requests",
            re.IGNORECASE,
        ),
    ),
)

# What servers say in other languages, as the whole of a piece: words of each would be too many to list.
_IN_OTHER_LANGUAGES: tuple[tuple[Speech, re.Pattern[str]], ...] = (
    (
        "bot-wall",
        re.compile(
            r"einen moment,? bitte|nur einen moment|zugriff verweigert|un instant|accès refusé|un momento|acceso denegado|"
            r"um momento|acesso negado|accesso negato|odmowa dostępu|доступ (?:запрещ[её]н|ограничен)|проверка браузера|один момент|"
            r"(?:请完成)?(?:安全|人机)验证|请稍候|正在验证.{0,12}|访问(?:被拒绝|受限|异常)|アクセスが拒否されました|少々お待ちください|"
            r"잠시만 기다리십시오|접근이 거부되었습니다",
            re.IGNORECASE,
        ),
    ),
    (
        "login",
        re.compile(
            r"anmeld(?:en|ung)|(?:se )?connexion|se connecter|iniciar sesi[óo]n|inicio de sesi[óo]n|entrar|iniciar sessão|accedi|"
            r"zaloguj się|logowanie|вход(?: в систему)?|авторизация|(?:用户)?登录|ログイン|로그인",
            re.IGNORECASE,
        ),
    ),
    (
        "soft-404",
        re.compile(
            r"(?:404\W{0,4})?(?:(?:die )?(?:(?:angeforderte|gesuchte|gewünschte) )?seite (?:wurde |konnte |existiert )?nicht (?:gefunden(?: werden)?)?|"
            r"(?:la )?page (?:demandée )?(?:est )?(?:introuvable|non trouvée|n['’]existe pas)|"
            r"(?:la )?página (?:solicitada )?(?:no (?:fue )?encontrada|no existe|no disponible)|no se (?:ha )?encontr(?:ó|ado) la página|"
            r"(?:a )?página (?:solicitada )?não (?:foi )?(?:encontrada|existe)|(?:la )?pagina (?:richiesta )?non (?:è stata )?(?:trovata|esiste)|"
            r"pagina niet gevonden|siden (?:blev )?ikke (?:fundet|funnet)|sidan (?:kunde inte hittas|hittades inte)|"
            r"(?:nie znaleziono strony|strona nie (?:została )?(?:znaleziona|istnieje))|stránka nenalezena|sayfa bulunamadı|"
            r"halaman tidak ditemukan|(?:запрашиваемая |запрошенная )?страница не (?:найдена|существует)|сторінку не знайдено|"
            r"(?:الصفحة )(?:غير موجودة|المطلوبة غير موجودة)|صفحه (?:مورد نظر )?(?:یافت|پیدا) نشد|"
            r"(?:抱歉|对不起)?[,，]?(?:您)?(?:访问|请求|查找|要找)?的?(?:页面|网页|文章|頁面)(?:不存在|未找到|找不到(?:了)?|没有找到|已删除)|找不到(?:该|此)?(?:页面|网页|頁面)|"
            r"(?:お探しの)?ページ(?:が|は)見つかりません(?:でした)?|페이지를 찾을 수 없습니다)(?:\W{0,4}404)?",
            re.IGNORECASE,
        ),
    ),
    (
        "error",
        re.compile(
            r"(?:ein )?fehler(?: ist aufgetreten)?|erreur|une erreur (?:est survenue|s['’]est produite)|(?:se ha producido un )?error|"
            r"(?:ocorreu um )?erro|errore|ошибка(?: сервера)?|(?:系统|服务器)?(?:错误|出错了?|繁忙|维护中?)|エラー|システムエラー|メンテナンス中",
            re.IGNORECASE,
        ),
    ),
)

_SERVER_SPEECH = """
a an the this that these your you you're we we're us our i it its it's is are was were be been being has have had do does
don't did not no nor or and but if to of on in at for from with by as up out into please try again later soon moment
just once more than any anymore longer wait while now back go home here before after continue continuing
page pages site sites web website webpage server service services system application database gateway proxy network host
browser connection request requested requests looking look looked article articles paper document documents file files
content contents resource resources item items record link url urls address doi dois id identifier identifiers journal
find found finding exist exists available unavailable missing moved removed deleted invalid unknown cannot can can't
could couldn't would unable something anything nothing went wrong sorry oops uh oh hmm error errors http https status code
ip unusual traffic activity detected computer systems our openathens athens google search javascript js cookies turned off
internal bad gateway timeout time-out unexpected occurred happened temporarily maintenance scheduled down closed under
too many unauthorized unauthorised forbidden denied access accessing accessed allowed restricted blocked block required
attention pardon interruption unsuccessful redirected security secure check checking checked verify verifying verified
verification human robot robots bot bots captcha recaptcha ddos protection protected detection manager preparing download
used use using firewall cloudflare sucuri incapsula imperva akamai datadome perimeterx radware nginx apache
log login logon sign signed in-in register registration single sign-on shibboleth institution institutional select through
authentication account accounts member members user users password cookie cookies consent privacy value preferences settings
policy disabled enabled absent accept making sure enter site's und seite nicht gefunden introuvable
"""
_SERVER_WORDS = frozenset(_SERVER_SPEECH.split())


def speech_of(texts: Iterable[str], article_titles: Iterable[str] = ()) -> tuple[Speech, str] | None:
    """(kind, piece) of the first piece of the texts that is nothing but the speech of a server.

    :param texts: a page's title and headings
    :param article_titles: titles of the article; what stands in one of them is no speech
    """
    titles = [title.lower() for title in article_titles]
    for text in texts:
        for raw in _PIECES.split(text[: 4 * LONGEST_SPEECH]):
            piece = raw.strip(" .!?…:\"'“”‘’-–—|")
            if not piece or len(piece) > LONGEST_SPEECH or any(piece.lower() in title for title in titles):
                continue
            for kind, phrase in _IN_OTHER_LANGUAGES:
                if phrase.fullmatch(piece):
                    return kind, piece
            for kind, key in _KEYS:
                if key.search(piece) and _is_servers(piece):
                    return kind, piece
    return None


def _is_servers(piece: str) -> bool:
    """Whether all words are those of servers, numbers of statuses, or names of hosts."""
    return all(
        word in _SERVER_WORDS or (word.isdecimal() and len(word) == 3) or "." in word
        for raw in _WORD.findall(piece.lower().replace("’", "'"))
        if (word := raw.strip(".-'"))
    )
